"""Passkeys that a script gives to the pages of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ._base import ApiObject

if TYPE_CHECKING:
    from .._typed import VirtualCredential
    from .context import BrowserContext


class Credentials(ApiObject):
    """The passkeys that pages of a context sign in with, once they are installed. Bytes are texts in base64url.

    The browser itself answers for them: `navigator.credentials` is the one that every page has. As for a person, a site
    gets to register one only in the tab that is in front, see `Page.bring_to_front`.
    """

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context._connection)
        self._context = context

    async def install(self) -> None:
        """Has all pages, those to come among them, offer these passkeys to sites, in place of what the machine has.

        A site can see that there is something to sign in with.
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
        """Adds a passkey for the site whose domain is `rp_id`, in place of one with the same `id`; gives it.

        What is left out is made up: the keys are of ECDSA P-256. `private_key` is PKCS #8, which the public one follows
        from; `sign_count` is how often it has signed.

        Raises:
            Error: When the private key cannot be read.
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
        """All passkeys, those that pages have registered among them; or that with an `id`, or those for one site."""
        held: list[VirtualCredential] = await self._context._run(self._context._native.passkeys())
        return [each for each in held if id in (None, each["id"]) and rp_id in (None, each["rpId"])]

    async def delete(self, id: str) -> None:
        """Forgets a passkey, whoever added it."""
        await self._context._run(self._context._native.delete_passkey(id))
