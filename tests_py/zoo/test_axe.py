"""The rules of axe itself, beside our own, on pages that are made of libraries."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests_py.support.client import serve
from tests_py.support.site import Site, document
from tests_py.zoo.conftest import BUILT

pytestmark = pytest.mark.library("axe-core")
AXE = BUILT / "node_modules" / "axe-core"
POOR = "<img src=a.png><button></button><input><p style='color:#999;background:#aaa'>Pale</p>"
SUMMARY = re.compile(r"^axe (\S+): (\d+) rules broken, (\d+) kept$", re.MULTILINE)


async def test_rules_that_a_page_breaks_are_reported_the_worst_first(tmp_path: Path, zoo: Site) -> None:
    options = ("--headless", "--caps", "devtools", "--axe", str(AXE / "axe.min.js"))
    async with serve(*options, cwd=tmp_path) as server:
        await server.open(zoo.publish("/poor", document("Poor", POOR)))
        answer = await server.call("browser_inspect", what="accessibility")
        assert not answer.is_error, answer.text
        found = SUMMARY.search(answer.text)
        assert found, answer.text
        assert found[1] == json.loads((AXE / "package.json").read_text())["version"]
        assert int(found[2]) >= 4
        for rule in ("button-name", "image-alt", "label"):
            assert re.search(rf"^critical {rule}: .*\(1\): ", answer.text, re.MULTILINE), answer.text
        assert re.search(r"^serious color-contrast: .* p", answer.text, re.MULTILINE), answer.text
        await server.open(zoo.url("/zoo/bootstrap.html"))
        good = SUMMARY.search((await server.call("browser_inspect", what="accessibility")).text)
        assert good
        assert int(good[3]) > 10
        assert await server.evaluate("() => typeof window.axe") == "undefined"
