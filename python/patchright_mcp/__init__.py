"""A browser that agents and scripts can control without the traces that give automation away.

`python -m patchright_mcp` is the MCP server.
"""

from .errors import BrowserError

__all__ = ["BrowserError", "BrowserResult", "PatchrightBrowser", "__version__"]

TYPE_CHECKING = (
    False  # Like `typing.TYPE_CHECKING`, but importing `typing` would take longer than the rest of this file.
)
if TYPE_CHECKING:
    from ._core import __version__
    from .browser import BrowserResult, PatchrightBrowser


def __getattr__(name: str) -> object:
    """Loads the engine on first use of one of its names, so that importing the package is fast."""
    if name in ("BrowserResult", "PatchrightBrowser"):
        from . import browser  # noqa: PLC0415

        return getattr(browser, name)
    if name in __all__:
        from . import _core  # noqa: PLC0415

        return getattr(_core, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
