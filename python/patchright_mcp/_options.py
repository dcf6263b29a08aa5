"""Options that are looked at before the engine gets them."""

from __future__ import annotations

from typing import Any

from ._failures import Missing
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


def check_video(folder: Any) -> None:
    """Nothing here draws videos."""
    if folder is not None:
        raise Missing("record_video_dir", "take screenshots, or record the screen of a browser with a window")


def check_storage(opfs: bool | None) -> None:
    """The private file systems of sites are not reached by any script but theirs."""
    if opfs:
        raise Missing("opfs", "read what is needed with `Page.evaluate`")


def check_handle(handle: bool | None) -> None:
    """Arguments of an exposed function come as values."""
    if handle:
        raise Missing("handle", "arguments come as values; find elements with a locator of `source['frame']`")
