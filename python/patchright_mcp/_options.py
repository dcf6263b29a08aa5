"""Options that are looked at before the engine gets them."""

from __future__ import annotations

from typing import Any

from .errors import Error


def check_proxy(proxy: Any) -> None:
    """A proxy needs a server that is text."""
    if proxy is not None and not isinstance(proxy.get("server"), str):
        given = type(proxy["server"]).__name__ if "server" in proxy else "nothing"
        raise Error(f'proxy.server: expected string, got {given}; name it like "http://proxy.example:3128"')


def check_certificates(certificates: Any) -> None:
    """Chromium asks its own store for client certificates, and no protocol puts one in."""
    if certificates:
        raise Error(
            "client_certificates: Chromium takes them only from the store of the system or of the profile. "
            "Import yours there, and allow its use by the policy AutoSelectCertificateForUrls"
        )
