"""Client certificates as given by scripts: files or bytes, in several formats."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._failures import caller
from .errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._typed import ClientCertificate


def read_certificates(given: Iterable[ClientCertificate]) -> list[dict[str, str]]:
    """Returns a dict with origin, certificate and private key (PEM) of each client certificate."""
    return [_read(certificate) for certificate in given]


def _read(given: Any) -> dict[str, str]:
    certificate, key, pfx = (_content(given, name) for name in ("cert", "key", "pfx"))
    passphrase = given.get("passphrase")
    if "origin" not in given:
        raise Error(f"{caller()}: client_certificates: each needs an origin, such as https://example.com")
    if pfx is not None:
        certificate, key = _unpacked(pfx, passphrase)
    elif certificate is None or key is None:
        raise Error(f"{caller()}: client_certificates: a certificate needs cert and key, or pfx")
    elif passphrase is not None:
        key = _opened(key, passphrase)
    return {
        "origin": given["origin"],
        "certificate": certificate.decode("ascii", "replace"),
        "key": key.decode("ascii", "replace"),
    }


def _content(given: Any, name: str) -> bytes | None:
    if given.get(f"{name}Path") is not None:
        return Path(given[f"{name}Path"]).read_bytes()
    content = given.get(name)
    return content.encode() if isinstance(content, str) else content


def _unpacked(pfx: bytes, passphrase: str | None) -> tuple[bytes, bytes]:
    """Unpacks a PKCS #12 archive. Returns the certificates and the private key, in PEM format."""
    kinds = _kinds()
    try:
        key, certificate, others = importlib.import_module(f"{_KINDS}.pkcs12").load_key_and_certificates(
            pfx, None if passphrase is None else passphrase.encode()
        )
    except ValueError as error:
        raise Error(f"{caller()}: Failed to load client certificate: {error}") from None
    if key is None or certificate is None:
        raise Error(f"{caller()}: Failed to load client certificate: it lacks a certificate or its key")
    chain = b"".join(one.public_bytes(kinds.Encoding.PEM) for one in (certificate, *others))
    return chain, _plain(key, kinds)


def _opened(key: bytes, passphrase: str) -> bytes:
    """Decrypts a key."""
    kinds = _kinds()
    try:
        opened = kinds.load_pem_private_key(key, passphrase.encode())
    except (ValueError, TypeError) as error:
        raise Error(f"{caller()}: Failed to load client certificate: {error}") from None
    return _plain(opened, kinds)


def _plain(key: Any, kinds: Any) -> bytes:
    plain: bytes = key.private_bytes(kinds.Encoding.PEM, kinds.PrivateFormat.PKCS8, kinds.NoEncryption())
    return plain


def _kinds() -> Any:
    """Imports the optional dependency that reads PKCS #12 archives and decrypts keys."""
    try:
        return importlib.import_module(_KINDS)
    except ImportError:
        raise Error(_NEEDED) from None


_KINDS = "cryptography.hazmat.primitives.serialization"
_NEEDED = (
    "client_certificates: archives (pfx) and keys with a passphrase are read by the package cryptography: "
    "`pip install cryptography`, or write them as PEM without a passphrase"
)
