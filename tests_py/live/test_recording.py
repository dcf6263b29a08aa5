"""What a person does in the live view is written as what tools do is."""

from collections.abc import Callable

import pytest

from patchright_mcp.async_api import Page
from tests_py.live.conftest import Handed, come_in, invited, question_of
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long


async def test_a_persons_work_in_the_view_is_in_the_script(
    new_wire: Callable[..., Wire], viewer: Page, site: Site
) -> None:
    wire = new_wire("--headless", "--input", "instant", "--caps", "testing")
    wire.shake_hands(elicitation={"form": {}, "url": {}})
    wire.call("browser_navigate", url=f"{site.page('watched')}?name=recorded")
    wire.call("browser_export_script", record=True)
    call = wire.start_call("browser_ask_person", reason="Please show how it is done")
    invitation = invited(question_of(wire))
    await come_in(viewer, invitation)
    handed = Handed(viewer, site, "recorded", wire, invitation)
    await handed.until(handed.notes, "notes")
    await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    await handed.click("field")
    await viewer.keyboard.type("by hand")
    await handed.value("field", "by hand")
    await handed.click("many")
    await viewer.keyboard.type("one\ntwo")
    await handed.value("many", "one\ntwo")
    await viewer.locator("#done").click()
    wire.answer_to(call)
    answer = wire.call("browser_export_script", record=False)["result"]["content"][0]["text"]
    assert '.fill("by hand")' in answer
    assert r'.fill("one\ntwo")' in answer
