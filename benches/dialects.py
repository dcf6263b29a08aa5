"""What other servers call the tools and arguments that are measured. Ours have Playwright's names."""

from __future__ import annotations

from typing import Any

DEVTOOLS = {
    "browser_navigate": ("navigate_page", {"url": "url"}),
    "browser_navigate_back": ("navigate_page", {}),
    "browser_snapshot": ("take_snapshot", {}),
    "browser_click": ("click", {"ref": "uid"}),
    "browser_type": ("fill", {"ref": "uid", "text": "value"}),
    "browser_evaluate": ("evaluate_script", {"function": "function"}),
    "browser_take_screenshot": ("take_screenshot", {}),
}
"""Those of Chrome's own server."""


def in_words_of(known: dict[str, Any], tool: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The same call as a server with these tools understands it."""
    if tool in known:
        takes = known[tool]["inputSchema"].get("properties", {})
        if "ref" in values and "ref" not in takes:
            values = {**values, "target": values["ref"]}
            del values["ref"]
        return tool, values
    if tool not in DEVTOOLS or DEVTOOLS[tool][0] not in known:
        return tool, values
    name, names = DEVTOOLS[tool]
    told = {names[key]: value for key, value in values.items() if key in names}
    if tool == "browser_navigate_back":
        told["type"] = "back"
    return name, {"pageId": 1, **told}
