"""Frames that do not stay while a tool works in them."""

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

LEAVING = {
    "removed": ("frame.remove()", "The frame was removed from the page"),
    "sent elsewhere": ("frame.src = '/no-such-page'", "The document was replaced by another one"),
}
WITHOUT_END = "element => { parent.postMessage('leave', '*'); return new Promise(() => {}); }"


@pytest.mark.parametrize("leaving", LEAVING)
@pytest.mark.parametrize("process", ["same process", "other process"])
async def test_a_frame_that_leaves_under_way_is_an_error_that_says_so(
    workshop: Workshop, site: Site, leaving: str, process: str
) -> None:
    action, reason = LEAVING[leaving]
    inside = site.publish("/leaving/inside", document("Inside", "<button>Work</button>"))
    if process == "other process":
        inside = inside.replace(site.origin, site.other_origin)
    script = f"onmessage = () => {{ const frame = document.querySelector('iframe'); {action}; }}"
    body = f"<iframe src='{inside}'></iframe><script>{script}</script>"
    page = await workshop.open(site.publish("/leaving", document("Outside", body)))
    target = page.ref('button "Work"')
    assert reason in await workshop.refused("browser_evaluate", function=WITHOUT_END, target=target)
