"""Passkeys for the pages of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ._base import ApiObject

if TYPE_CHECKING:
    from .._typed import VirtualCredential
    from .context import BrowserContext


class Credentials(ApiObject):
    """Passkeys for the pages of a context. They take effect after `install`. Bytes are base64url strings.

    The browser implements passkeys itself: `navigator.credentials` is not replaced. A site can register a passkey only
    in the tab in front, see `Page.bring_to_front`.
    """

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context._connection)
        self._context = context

    async def install(self) -> None:
        """Offers these passkeys to sites in all pages, in place of the machine's authenticators.

        A site can detect that an authenticator exists.
        """
        await self._context._run(self._context._native.offer_passkeys())

    async def create(
        self,
        rp_id: str,
        *,
        id: str | None = None,
        private_key: str | None = None,
        public_key: str | None = None,
        sign_count: int | None = None,
        user_handle: str | None = None,
    ) -> VirtualCredential:
        """Adds and returns a passkey for the domain `rp_id`, replacing one with the same `id`.

        Omitted values are generated; keys are ECDSA P-256. `private_key` is PKCS #8; the public key is derived from it.
        `sign_count` is the number of signatures so far.

        Raises:
            Error: If the private key is unreadable.
        """
        given = {
            "rpId": rp_id,
            "id": id or "",
            "privateKey": private_key or "",
            "publicKey": public_key or "",
            "signCount": sign_count or 0,
            "userHandle": user_handle or "",
        }
        added = await self._context._run(self._context._native.add_passkey(given))
        return cast("VirtualCredential", added)

    async def get(self, *, id: str | None = None, rp_id: str | None = None) -> list[VirtualCredential]:
        """Returns all passkeys, including registered ones, or those with an `id` or for one site."""
        held: list[VirtualCredential] = await self._context._run(self._context._native.passkeys())
        return [each for each in held if id in (None, each["id"]) and rp_id in (None, each["rpId"])]

    async def delete(self, id: str) -> None:
        """Removes a passkey, whether the script or a site added it."""
        await self._context._run(self._context._native.delete_passkey(id))
