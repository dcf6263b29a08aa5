"""Pickers that a page opens without an input."""

from __future__ import annotations

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site, document

PICKERS = ["showOpenFilePicker", "showSaveFilePicker", "showDirectoryPicker"]


@pytest.mark.parametrize("picker", PICKERS)
async def test_a_picker_without_an_input_is_reported_once_and_leaves_the_page_usable(
    server: Server, site: Site, picker: str
) -> None:
    script = f"<button onclick='{picker}().catch(() => {{ document.title = `cancelled` }})'>Pick</button>"
    script += "<button>Go</button>"
    shown = await server.open(site.publish("/pickers", document("Pickers", script)))
    picked = await server.click(shown.ref('button "Pick"'))
    assert "Modal state" not in picked.text, picked.text
    assert "without an input" in picked.section("Events"), picked.text
    assert await server.evaluate("() => document.title") == "cancelled"
    after = await server.click(shown.ref('button "Go"'))
    assert not after.is_error, after.text
    assert "without an input" not in after.text, after.text
