"""Dialogs and file choosers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from .._failures import caller
from ..errors import Error, TargetClosedError
from ._base import ApiObject
from .handle import ElementHandle

if TYPE_CHECKING:
    from .._core import Dialog as NativeDialog
    from .._core import FileChooser as NativeFileChooser
    from .._typed import Files
    from .page import Page


class Dialog(ApiObject):
    """An alert, confirm, prompt or beforeunload dialog. It blocks the page until answered."""

    def __init__(self, page: Page, native: NativeDialog) -> None:
        super().__init__(page._connection)
        self._page = page
        self._native = native
        self._answered = False

    def __repr__(self) -> str:
        return f"<Dialog type={self.type} message={self.message!r} default_value={self.default_value!r}>"

    @property
    def page(self) -> Page | None:
        """The page that opened the dialog."""
        return self._page

    @property
    def type(self) -> str:
        """The kind of dialog: `alert`, `confirm`, `prompt` or `beforeunload`."""
        return self._native.kind

    @property
    def message(self) -> str:
        """The dialog's message."""
        return self._native.message

    @property
    def default_value(self) -> str:
        """The default value of a prompt."""
        return self._native.default_value

    async def accept(self, prompt_text: str | None = None) -> None:
        """Accepts the dialog, with a text for a prompt."""
        await self._answer(True, prompt_text)

    async def dismiss(self) -> None:
        """Dismisses the dialog."""
        await self._answer(False, None)

    async def _answer(self, accept: bool, text: str | None) -> None:
        if self._answered:
            verb = "accept" if accept else "dismiss"
            raise Error(f"{caller()}: Cannot {verb} dialog which is already handled!")
        self._answered = True
        try:
            await self._run(self._page._native.answer_dialog(accept, text))
        except Error as error:
            # If the page was closed meanwhile, the dialog needs no answer.
            if accept and not isinstance(error, TargetClosedError):
                raise


class FileChooser(ApiObject):
    """A file chooser that a page has opened. The browser shows no window for it."""

    def __init__(self, page: Page, native: NativeFileChooser, element: ElementHandle) -> None:
        super().__init__(page._connection)
        self._page = page
        self._native = native
        self._element = element

    def __repr__(self) -> str:
        return f"<FileChooser page={self._page!r} element={self._element}>"

    @property
    def page(self) -> Page:
        """The page that opened the file chooser."""
        return self._page

    @property
    def element(self) -> ElementHandle:
        """The file input that the files are for."""
        return self._element

    def is_multiple(self) -> bool:
        """Returns whether several files may be chosen."""
        return self._native.is_multiple

    async def set_files(
        self,
        files: Files,
        *,
        timeout: float | timedelta | None = None,
        no_wait_after: bool | None = None,
    ) -> None:
        """Chooses files, by path or content.

        Raises:
            TimeoutError: After `timeout` milliseconds. Default: 30 s. 0 disables the limit.
        """
        await self._element.set_input_files(files, timeout=timeout)
