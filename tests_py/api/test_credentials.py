"""Passkeys, as a site asks for them."""

import pytest

from patchright_mcp.async_api import Browser, BrowserContext, Error, Page
from tests_py.support.site import Site

pytestmark = pytest.mark.long

SIGN_IN = """async () => {
    const asked = { challenge: new Uint8Array(8), rpId: 'localhost', userVerification: 'required' };
    const { id, response } = await navigator.credentials.get({ publicKey: asked });
    return [id, new DataView(response.authenticatorData).getUint32(33)];
}"""
REGISTER = """async () => {
    const { id } = await navigator.credentials.create({ publicKey: {
        challenge: new Uint8Array(8),
        rp: { name: 'site', id: 'localhost' },
        user: { id: new Uint8Array([1, 2, 3]), name: 'ada', displayName: 'Ada' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        authenticatorSelection: { residentKey: 'required' },
    } });
    return id;
}"""


async def opened(context: BrowserContext, site: Site) -> Page:
    """A page on the only insecure host that may ask for passkeys."""
    page = await context.new_page()
    await page.goto(site.page("form").replace("127.0.0.1", "localhost"))
    return page


async def test_a_page_signs_in_with_the_passkey_that_it_is_given(context: BrowserContext, site: Site) -> None:
    page = await opened(context, site)
    given = await context.credentials.create("localhost", sign_count=4)
    await context.credentials.install()
    assert await page.evaluate(SIGN_IN) == [given["id"], 5]
    assert await context.credentials.get(rp_id="localhost") == [{**given, "signCount": 5}]
    assert await context.credentials.get(rp_id="elsewhere.example") == []
    native = await page.evaluate("navigator.credentials.get.toString()", isolated_context=False)
    assert native == "function get() { [native code] }"
    with pytest.raises(Error, match="the private key of a passkey cannot be read"):
        await context.credentials.create("localhost", private_key="AAAA")


async def test_what_one_page_registers_the_others_and_other_contexts_have(
    browser: Browser, context: BrowserContext, site: Site
) -> None:
    await context.credentials.install()
    page, other = await opened(context, site), await opened(context, site)
    await page.bring_to_front()
    registered = await page.evaluate(REGISTER)
    held = await context.credentials.get()
    assert [(each["id"], each["userHandle"], each["rpId"]) for each in held] == [
        (registered, "AQID", "localhost")
    ]
    first = await other.evaluate(SIGN_IN)
    assert first[0] == registered
    assert (await page.evaluate(SIGN_IN))[1] == first[1] + 1
    state = await context.storage_state(credentials=True)
    async with await browser.new_context(storage_state=state) as later:
        assert await later.credentials.get() == state["credentials"]
        assert await (await opened(later, site)).evaluate(SIGN_IN) == [registered, first[1] + 2]
        await later.credentials.delete(registered)
        assert await later.credentials.get(id=registered) == []
        with pytest.raises(Error, match="NotAllowedError"):
            await later.pages[0].evaluate(SIGN_IN)
