from collections.abc import Awaitable, Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, final

__all__ = [
    "ApiRequestContext",
    "ApiResponse",
    "Archive",
    "Block",
    "Bound",
    "Browser",
    "BrowserContext",
    "Call",
    "Captions",
    "CastFrame",
    "CdpSession",
    "CooldownState",
    "Dialog",
    "Dispatcher",
    "Download",
    "Ended",
    "FileChooser",
    "Frame",
    "HandlerCall",
    "InitScript",
    "JsHandle",
    "KeptAnswers",
    "Operation",
    "Pacing",
    "Page",
    "ProgramGate",
    "Promise",
    "Request",
    "Response",
    "Route",
    "Screencast",
    "ScriptRecording",
    "ToolBrowser",
    "Video",
    "WebSocket",
    "Worker",
    "__version__",
    "be_where_it_comes_out",
    "block",
    "call_offered",
    "call_tool",
    "close_tools",
    "connect",
    "devices",
    "document_request",
    "find_browser",
    "glob_matches",
    "har_entry",
    "is_login_timeout",
    "keep_answers",
    "launch",
    "list_patchright_tools",
    "main",
    "offered_tools",
    "one_time_code",
    "paper_size",
    "register_selector",
    "scroll_through",
    "selector_by",
    "selector_by_role",
    "selector_filter",
    "selector_of_way",
    "set_test_id_attribute",
    "test_id_attribute",
]

__version__: str
"""The version of the engine, which is the version of the package."""

def main(arguments: Sequence[str]) -> int:
    """Runs the command line until it is done, without holding the interpreter.

    Interrupts belong to the server from then on: Ctrl-C ends it and its browser in good order
    instead of raising `KeyboardInterrupt`.

    Args:
        arguments: What stands behind the program's name.

    Returns:
        The exit status.

    Raises:
        RuntimeError: In a fork of the process that used the engine first.
    """

def is_login_timeout(error: str) -> bool:
    """Whether an error's text says that nobody logged in or verified in time."""

@final
class CooldownState:
    """The pause of this process."""

    def __new__(cls) -> CooldownState: ...
    @property
    def since(self) -> float | None:
        """When the last login timeout was, in seconds since 1970."""
    @since.setter
    def since(self, value: float | None) -> None: ...
    @property
    def period(self) -> float:
        """How long a pause is, in seconds."""
    @period.setter
    def period(self, value: float) -> None: ...
    def use_clock(self, clock: Callable[[], float]) -> None:
        """Tells the time by `clock` from now on."""
    def check(self) -> str | None:
        """What a call is answered with during a pause; `None` outside one."""
    def record(self) -> str:
        """Begins a pause now, and says so."""

def list_patchright_tools() -> str:
    """The listing of the `patchright_*` tools, as JSON."""

def call_tool(name: str, arguments: str) -> Awaitable[str]:
    """Calls a tool, as a client on the wire does. Awaits to the result as JSON."""

def close_tools() -> None:
    """Closes the browser behind `call_tool`, if one runs."""

_Outcome: TypeAlias = tuple[str, str, str, str, bytes, str | None, str | None]

@final
class ToolBrowser:
    """A browser for errands."""

    def __new__(cls, headless: bool, timeout: float, user_data_dir: str | None) -> ToolBrowser: ...
    def fetch(self, url: str, wait_for: str | None) -> _Outcome: ...
    def screenshot(self, url: str, full_page: bool) -> _Outcome: ...
    def click(self, url: str, selector: str) -> _Outcome: ...
    def fill_form(self, url: str, fields: list[tuple[str, str]], submit: str | None) -> _Outcome: ...
    def execute_js(self, url: str, script: str) -> _Outcome: ...
    def close(self) -> None:
        """Closes the browser, if it runs."""

# The library.

@final
class Operation:
    """Something the engine can do, not yet begun. A dispatcher begins it."""

    def cancel(self) -> None:
        """Gives up what was begun; the browser is not waited for."""

@final
class Dispatcher:
    """What the engine tells Python: results and events, in the order in which they came.  In an event loop `fileno` becomes readable when there is something, and `drain` hands it out. Without a loop, whoever waits for an operation hands out what comes meanwhile."""

    def __new__(cls, handler: Any, with_bell: bool) -> Dispatcher:
        """`with_bell`: for an event loop, which watches `fileno`. Without one, a thread can `listen` for it."""
    def fileno(self) -> int:
        """What an event loop watches; -1 without a bell, and where there is nothing that a loop could watch."""
    def listen(self) -> bool:
        """For a loop that cannot watch `fileno`: waits, on a thread of its own, until there is something to `drain`. False when nothing comes any more."""
    def begin(self, operation: Operation, future: Any) -> None:
        """Begins an operation; `future` gets its result from `drain`."""
    def start(self, operation: Operation) -> None:
        """Begins an operation whose result nobody wants."""
    def hear(self, context: int, requests: bool, sockets: bool, dialogs: bool) -> None:
        """Says what the script listens to in a context and its pages, from now on."""
    def drain(self) -> None:
        """Hands out all that has come."""
    def close(self) -> None:
        """Whoever still waits is told that nothing comes any more."""
    def wait(self, operation: Operation) -> Any:
        """Runs an operation to its end on this thread. Events are handed out meanwhile, and interrupts are heard."""

@final
class Promise:
    """Something that will come to be, once: what waits for an event waits for one of these."""

    def __new__(cls) -> Promise: ...
    def is_done(self) -> bool: ...
    def resolve(self, value: Any) -> None:
        """Only the first result counts."""
    def reject(self, error: Any) -> None: ...
    def wait(self, timeout_ms: float) -> Operation:
        """Waits for the result, at most so many milliseconds; 0 is for ever."""

@final
class Browser:
    """A browser."""

    @property
    def is_headless(self) -> bool:
        """Whether it has no window."""

    @property
    def key(self) -> int: ...
    @property
    def version(self) -> str:
        """The browser's version, for example `156.0.8078.79`."""
    @property
    def is_connected(self) -> bool: ...
    @property
    def default_context(self) -> BrowserContext: ...
    @property
    def contexts_of_others(self) -> list[BrowserContext]:
        """Those that others who are attached have made, and in which there are pages."""
    def new_context(self, dispatcher: Dispatcher, chosen: Any) -> Operation: ...
    def bind(self, port: int | None = None) -> Operation:
        """Opens a port on this machine for other clients. Default: any free port."""
    def new_cdp_session(self, dispatcher: Dispatcher) -> Operation:
        """A session of the raw protocol, whose events go to `dispatcher`."""
    def close(self) -> Operation: ...

@final
class Bound:
    """A browser that others may work in, until this is gone."""

    @property
    def endpoint(self) -> str: ...

@final
class InitScript:
    def remove(self) -> Operation: ...

@final
class BrowserContext:
    """An isolated context."""

    @property
    def browser(self) -> Browser:
        """The browser that it is in."""
    def follow(self, dispatcher: Dispatcher) -> None:
        """Tells `dispatcher` from now on what happens in it."""
    def route(self, globs: Sequence[str] | None) -> Operation:
        """Holds requests to addresses that fit one of `globs`; all with `None`."""
    @property
    def key(self) -> int: ...
    @property
    def pages(self) -> list[Page]: ...
    @property
    def is_closed(self) -> bool: ...
    def new_page(self) -> Operation: ...
    def close(self) -> Operation: ...
    def expose(self, name: str, all_frames: bool, keeps: bool) -> Operation:
        """Gives all pages a function, whose calls are told as events."""
    def route_sockets(self, name: str) -> Operation:
        """Has every new web socket ask the function `name`, whose calls are told as events."""
    def add_init_script(self, source: str) -> Operation: ...
    def hear_console(self, messages: bool, errors: bool) -> None:
        """Whether its pages and workers are told of what they log, and of errors that nobody caught. From now on."""
    def new_cdp_session(self, dispatcher: Dispatcher, frame: Frame) -> Operation:
        """A session of the raw protocol with a page or a frame, whose events go to `dispatcher`."""
    def cookies(self, urls: list[str]) -> Operation:
        """Its cookies, or those that go with requests to one of these addresses."""
    def add_cookies(self, cookies: Any) -> Operation: ...
    def remove_cookies(self, cookies: Any) -> Operation: ...
    def clear_cookies(self) -> Operation: ...
    def offer_passkeys(self) -> Operation:
        """Has its pages offer what it holds to sites, in place of what the machine has."""
    def add_passkey(self, given: Any) -> Operation:
        """Holds a passkey, in place of one with the same id. Gives it with all that was left out."""
    def delete_passkey(self, id: str) -> Operation: ...
    def passkeys(self) -> Operation: ...
    def storage_state(self, databases: bool, private_files: bool) -> Operation: ...
    def replace_storage(self, state: Any) -> Operation:
        """Puts cookies and storage in, in place of those that are there."""
    def grant_permissions(self, permissions: list[str], origin: str | None) -> Operation: ...
    def clear_permissions(self) -> Operation: ...
    def set_geolocation(self, geolocation: Any) -> Operation: ...
    def set_offline(self, offline: bool) -> Operation: ...
    def turn_clock(self, turn: Any) -> Operation:
        """Turns the clock of all its documents, see `ClockTurn`."""
    def set_extra_headers(self, headers: dict[str, str]) -> Operation: ...

@final
class ProgramGate:
    """What a program of the server's tools is let through by."""

    def permit(self, url: str) -> Operation:
        """The address, as soon as a program may open it."""
    def let_decide(self, context: BrowserContext, decides: bool) -> None:
        """Whether a program decides what becomes of a context's requests that no rule of the tools means."""
    @property
    def limits(self) -> tuple[float, float]:
        """How long elements and pages are waited for, in milliseconds."""

@final
class Pacing:
    """A pause between navigations to one origin, and robots.txt."""

    def __new__(cls, min_interval_s: float, respect_robots: bool) -> Pacing: ...
    def before(self, context: BrowserContext, url: str) -> Operation:
        """Waits until a page of this context may navigate to `url`."""

@final
class Ended:
    """Hears of the end of a program."""

    def tell(self) -> None: ...

@final
class CdpSession:
    """A session of the raw protocol."""

    @property
    def key(self) -> int:
        """What tells this session from every other object."""
    def send(self, method: str, parameters: Any, timeout_ms: float) -> Operation:
        """`timeout_ms`: 0 for no limit."""
    def detach(self) -> Operation: ...

@final
class ScriptRecording:
    """A tab is recorded for as long as this lives."""

    @property
    def written(self) -> str:
        """What was done so far, as a test that does it again."""

def launch(dispatcher: Dispatcher, chosen: Any) -> Operation:
    """Starts a browser, whose events go to `dispatcher`."""

def connect(
    dispatcher: Dispatcher,
    endpoint: str,
    headers: list[tuple[str, str]],
    timeout_ms: float,
    chosen: Any,
    apart: bool,
) -> Operation:
    """Attaches to a browser that runs already. `apart`: the contexts of others are none of our business."""

def find_browser(name: str) -> Path | None:
    """The path of the browser that would be started; `None` where there is none."""

def har_entry(request: dict[str, Any], content: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The entry of a request in an HTTP archive, as JSON, and the files that belong to it.

    Args:
        request: The request, with `timing` as in `Request.timing` and its `response`, or `None`.
        content: `embed`, `attach` or `omit`.
    """

def devices() -> dict[str, dict[str, Any]]:
    """Options for contexts that pretend to be a device, by its name."""

def paper_size(name: str) -> tuple[float, float] | None:
    """Width and height of a paper in inches, by its name."""

def register_selector(name: str, source: str) -> bool:
    """Lets selectors name an engine of one's own. False when there is one with this name."""

def selector_by(what: str, words: Any) -> str:
    """By `text`, `label` or `testId`, or by an attribute of that name."""

def selector_by_role(role: str, chosen: Any) -> str:
    """By the role, its `states`, `name` and `description`, each where it was said."""

def selector_filter(chosen: Any) -> str:
    """What narrows a selector, to be written after it."""

def selector_of_way(way: Any) -> str:
    """A way of the engine's to find an element."""

def test_id_attribute() -> str:
    """The attribute that a test id stands in."""

def set_test_id_attribute(name: str) -> None:
    """The attribute that a test id stands in, from now on."""

@final
class Page:
    """A page: one tab of the browser."""

    @property
    def id(self) -> str:
        """The browser's id."""
    def requests(self) -> list[Request]:
        """The newest requests, oldest first."""
    def route(self, globs: Sequence[str] | None) -> Operation:
        """Holds requests to addresses that fit one of `globs`; all with `None`."""
    @property
    def key(self) -> int:
        """What tells this page from every other one."""
    @property
    def context(self) -> BrowserContext: ...
    @property
    def main_frame(self) -> Frame: ...
    @property
    def frames(self) -> list[Frame]: ...
    @property
    def opener(self) -> Page | None: ...
    @property
    def has_opener(self) -> bool: ...
    @property
    def is_closed(self) -> bool: ...
    @property
    def is_crashed(self) -> bool: ...
    @property
    def viewport(self) -> tuple[int, int] | None: ...
    def reload(self, until: str, timeout_ms: float) -> Operation: ...
    def go_back(self, until: str, timeout_ms: float) -> Operation:
        """`None` when there is no page to go to."""
    def go_forward(self, until: str, timeout_ms: float) -> Operation: ...
    def close(self, ask: bool) -> Operation:
        """Closes the tab. With `ask`, the page may refuse: then it is not waited for."""
    def bring_to_front(self) -> Operation: ...
    def answer_dialog(self, accept: bool, text: str | None) -> Operation: ...
    def catch_file_choosers(self, enabled: bool) -> Operation:
        """Whether file choosers are told of instead of shown."""
    def set_viewport(self, width: int, height: int) -> Operation: ...
    def set_extra_headers(self, headers: dict[str, str]) -> Operation: ...
    def emulate_media(self, media: Any) -> Operation: ...
    def add_locator_handler(
        self, selector: str, name: str, no_wait_after: bool, times: int | None, dispatcher: Dispatcher
    ) -> int:
        """Has a handler told as an event when the element is seen in the way. Gives its number."""
    def has_locator_handler(self, handler: int) -> bool:
        """Whether a handler may still be called."""
    def remove_locator_handler(self, handler: int) -> None: ...
    def expose(self, name: str, all_frames: bool, keeps: bool) -> Operation:
        """Gives the page a function, whose calls are told as events."""
    def hear_console(self, messages: bool, errors: bool) -> None:
        """Whether it is told of what this page logs, and of errors that nobody caught. From now on."""
    def tell_console(self, errors: bool) -> Operation:
        """Tells once more what the page has logged, which the browser keeps."""
    def forget_console(self) -> None: ...
    def add_init_script(self, source: str) -> Operation: ...
    def screenshot(
        self,
        format: str,
        quality: int | None,
        area: tuple[str, tuple[float, float, float, float] | None],
        scale: float | None,
        masks: list[tuple[Frame, str]],
        finish: Any,
        timeout_ms: float,
    ) -> Operation:
        """A picture. `area`: of the `viewport`, the `page` or an `element`, and a part of it: x, y, width and height.

        `masks`: frames and selectors of what is covered. `finish`: what else is done to the page meanwhile.
        """
    def pick(self) -> Operation:
        """The selector of the element that somebody clicks, and how a script writes it; the page does not hear of the click."""
    def record_script(self, language: str) -> Operation:
        """Writes what a person does in this tab from now on, in `python` or `typescript`."""
    def cancel_pick(self) -> None: ...
    def hide_highlights(self) -> None: ...
    def snapshot(self, chosen: Any) -> Operation:
        """The page as an outline with refs, see `SnapshotOptions`."""
    def read(self, format: str) -> Operation:
        """What can be read on the page: `text`, `markdown` or `html`."""
    def dom_snapshots(self, timeout_ms: float) -> Operation:
        """The documents of its frames as a trace holds them: frame, address, doctype, nested arrays, and whether it is the main one."""
    def glimpse(self, limit_ms: float) -> tuple[bytes, str] | None:
        """A picture, as JPEG, and the outline, for who looks in passing; `None` when the page does not show them in time."""
    def wall(self, asked: str | None, acts: bool) -> Operation:
        """What stands in the way and asks for a person; `asked` is the address that was wanted."""
    def pdf(self, chosen: Any) -> Operation: ...
    def mouse_move(self, x: float, y: float, steps: int) -> Operation: ...
    def mouse_down(self, name: str, count: int) -> Operation: ...
    def mouse_up(self, name: str, count: int) -> Operation: ...
    def mouse_click(self, x: float, y: float, name: str, count: int, delay_ms: float) -> Operation: ...
    def mouse_wheel(self, delta_x: float, delta_y: float) -> Operation: ...
    def touch_tap(self, x: float, y: float) -> Operation: ...
    def key_down(self, key: str) -> Operation: ...
    def key_up(self, key: str) -> Operation: ...
    def key_press(self, key: str, delay_ms: float) -> Operation: ...
    def key_type(self, text: str, delay_ms: float) -> Operation: ...
    def key_insert(self, text: str) -> Operation: ...

@final
class Dialog:
    """A dialog that is open."""

    @property
    def kind(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def default_value(self) -> str: ...

@final
class FileChooser:
    """A file chooser that the page asked for."""

    @property
    def is_multiple(self) -> bool: ...
    def element(self) -> Operation:
        """The input that asked."""

@final
class Call:
    """A call of a function that was exposed, which waits for its answer."""

    @property
    def frame(self) -> Frame: ...
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> Any:
        """What the page calls it with, as a list."""
    @property
    def kept(self) -> JsHandle | None:
        """What the page calls it with first, where that stays in the page."""
    def answer(self, value: Any, failed: bool) -> Operation:
        """Gives the page a value, or an exception."""

@final
class HandlerCall:
    """A call of a locator handler, which holds up an action until it has ended."""

    @property
    def handler(self) -> int:
        """Which handler it is of: what `Page.add_locator_handler` has given."""
    def end(self, raised: BaseException | None) -> None:
        """Lets the action go on, or fail with what the handler has raised."""

@final
class Video:
    """A video that is being made, or is done."""

    def __new__(cls, page: Page, path: str, chosen: Any) -> Video:
        """Begins a video of a page, in a file at `path`. See `VideoOptions`."""
    @property
    def path(self) -> Path: ...
    def stop(self) -> Operation:
        """Ends it, and waits until it is written."""
    def until_ended(self) -> Operation:
        """Waits until it is written: when its page is closed, or it was stopped."""

@final
class Captions:
    """What is laid over the pictures of a page."""

    def __new__(cls, page: Page) -> Captions: ...
    def show(self, html: str, duration_ms: float | None = None) -> Operation:
        """Lays HTML over the pictures: for so many milliseconds, which are waited for, or until its number is taken off."""
    def show_chapter(self, title: str, description: str | None, duration_ms: float) -> Operation:
        """Like `show`: a title in the middle, the page blurred behind it."""
    def remove(self, number: int) -> None: ...
    def set_hidden(self, hidden: bool) -> None: ...
    def show_actions(self, how: Any | None) -> None:
        """Shows each action before it is done; `None`: no longer. See `ActionCaptions`."""

@final
class CastFrame:
    """One picture of a page; the next comes when it is forgotten."""

    @property
    def data(self) -> bytes:
        """A JPEG."""
    @property
    def timestamp(self) -> float:
        """In milliseconds since 1970."""
    @property
    def viewport(self) -> tuple[float, float]: ...

@final
class Screencast:
    """Shows what a page looks like until it is stopped."""

    def __new__(cls, page: Page, dispatcher: Dispatcher, key: int, chosen: Any) -> Screencast:
        """Events `screencastframe` of the page go to `dispatcher` from now on, named with `key`."""
    def stop(self) -> None: ...

@final
class Frame:
    """A place in a page where one document after another lives."""

    @property
    def key(self) -> int:
        """What tells this frame from every other one."""
    @property
    def url(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def is_detached(self) -> bool: ...
    @property
    def page(self) -> Page | None: ...
    @property
    def parent(self) -> Frame | None: ...
    @property
    def children(self) -> list[Frame]:
        """The frames in it, in the order in which they came."""
    @property
    def loader(self) -> str:
        """The id of the current document: the same for the request that asked for it."""
    def goto(self, url: str, until: str, timeout_ms: float, referrer: str | None = None) -> Operation:
        """Navigates. Gives what that came to: `document`, `same_document`, `download`, `no_content` or `dialog`."""
    def set_content(self, html: str, until: str, timeout_ms: float) -> Operation: ...
    def content(self, with_shadows: bool) -> Operation: ...
    def title(self) -> Operation: ...
    def add_tag(self, name: str, tag: Any) -> Operation:
        """Adds a `script` or a `style`, see `Tag`."""
    def extract(self, each: str | None, fields: Sequence[Any]) -> Operation:
        """Texts and attributes by CSS selectors: `[selector, attribute, several, what]` for each field.

        `what` is `"text"`, `"number"`, `"state"`, or a list of fields within that element.
        """
    def until_elsewhere(self, url: str, timeout_ms: float) -> Operation:
        """Waits until the document has another address than `url`. Gives the one that it has then."""
    def stored(self, kind: str, name: str | None) -> Operation:
        """What the site keeps in `local` or `session` storage, by name."""
    def store(self, kind: str, name: str, value: str) -> Operation: ...
    def forget_stored(self, kind: str, name: str | None) -> Operation:
        """Forgets what is kept under a name, or everything."""
    def wait_for_load_state(self, state: str, timeout_ms: float) -> Operation: ...
    def evaluate(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def evaluate_handle(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def direct_socket(self, name: str, socket: float, number: int, what: str, value: Any) -> Operation:
        """Tells a web socket of the page what to do; `number` says after what."""
    def wait_for_function(
        self, script: str, argument: Any, isolated: bool, pause_ms: float, timeout_ms: float
    ) -> Operation:
        """Waits until a script gives something true. `pause_ms` below 0: about as often as the page is drawn."""
    def perform(self, selector: str, strict: bool, action: Any, timeout_ms: float) -> Operation:
        """Does what `action` says with the element that a selector finds, see `ElementAction`."""
    def highlight(self, selector: str) -> Operation:
        """Has the browser draw around all that a selector finds now."""
    def hide_highlight(self, selector: str) -> None: ...
    def query(self, selector: str, strict: bool) -> Operation:
        """The element that a selector finds now."""
    def is_visible(self, selector: str, strict: bool) -> Operation:
        """Whether the element that a selector finds now can be seen."""
    def query_all(self, selector: str) -> Operation: ...
    def evaluate_all(self, selector: str, script: str, argument: Any, isolated: bool) -> Operation:
        """Runs a script with an array of all elements that a selector finds now."""
    def texts(self, selector: str, drawn: bool) -> Operation:
        """The text in each element that a selector finds now; as it is drawn, if wanted."""
    def expect(self, selector: str, what: str, expected: Any, is_not: bool, timeout_ms: float) -> Operation:
        """Looks until elements are as expected, or are not. Gives whether they match, and what they are like."""
    def expect_title(self, expected: Any, is_not: bool, timeout_ms: float) -> Operation:
        """Looks until the title is as expected, or is not. Gives whether it is, and what it is."""
    def expect_property(
        self, selector: str, path: str, expected: Any, is_not: bool, timeout_ms: float
    ) -> Operation:
        """Looks until a property of the element is the value expected, or is not."""
    def expect_aria(self, selector: str, template: str, is_not: bool, timeout_ms: float) -> Operation:
        """Looks until what assistive technology is told of the element fits a template, or does not."""
    def snapshot(self, selector: str, strict: bool, chosen: Any, timeout_ms: float) -> Operation:
        """The element as an outline with refs, see `SnapshotOptions`."""
    def count(self, selector: str) -> Operation: ...
    def wait_for(self, selector: str, state: Any, strict: bool, timeout_ms: float) -> Operation:
        """Waits until an element is there, is seen, or is not."""
    def evaluate_on(
        self, selector: str, strict: bool, script: str, argument: Any, isolated: bool, timeout_ms: float
    ) -> Operation:
        """Runs a script with the element as soon as it is there. `whole`: its result stays in the page."""
    def drag(self, source: str, target: str, strict: bool, how: Any, timeout_ms: float) -> Operation:
        """Drags one element onto another. `how`: positions, `force`, `trial`, `steps` and `keeps_scroll`."""
    def frame_element(self) -> Operation:
        """The element that shows this frame, in its parent."""

@final
class JsHandle:
    """A handle to a JavaScript object or value."""

    @property
    def is_node(self) -> bool:
        """Whether it is a node of a document."""
    @property
    def description(self) -> tuple[str, str | None, str | None, str | None]:
        """What it is, in a few words of the browser: type, subtype, description, and its value as text."""
    def evaluate(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def evaluate_handle(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def json_value(self) -> Operation: ...
    def get_property(self, name: str) -> Operation: ...
    def get_properties(self) -> Operation: ...
    def perform(self, action: Any, timeout_ms: float) -> Operation:
        """Does what `action` says, see `ElementAction`."""
    def preview(self) -> str:
        """What it is, in one line; looked up at once."""
    def query(self, selector: str, strict: bool) -> Operation:
        """The first element that a selector finds within this one."""
    def evaluate_all(self, selector: str, script: str, argument: Any) -> Operation:
        """Runs a script with an array of all elements that a selector finds within this one."""
    def dispatch(self, kind: str, init: Any) -> Operation:
        """Dispatches an event in the page's own world; what it is made of may hold objects of the page."""
    def query_all(self, selector: str) -> Operation:
        """All elements that a selector finds within this one."""
    def wait_for(self, selector: str, state: Any, strict: bool, timeout_ms: float) -> Operation:
        """Waits for what a selector finds within this element."""
    def drag_to(
        self,
        target: JsHandle,
        source_position: tuple[float, float] | None,
        target_position: tuple[float, float] | None,
        force: bool,
        timeout_ms: float,
    ) -> Operation:
        """Drags this element onto another one."""
    def content_frame(self) -> Operation:
        """The frame that this element shows."""
    def owner_frame(self) -> Operation:
        """The frame in whose document this node is."""

# What goes over the network.

@final
class Request:
    """One request."""

    @property
    def key(self) -> int:
        """What tells this request from every other one."""
    @property
    def url(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers as the page's process knows them."""
    @property
    def body(self) -> bytes | None: ...
    @property
    def resource_type(self) -> str: ...
    @property
    def is_navigation(self) -> bool: ...
    @property
    def page(self) -> Page | None: ...
    @property
    def frame(self) -> Frame | None: ...
    @property
    def service_worker(self) -> Worker | None: ...
    @property
    def redirected_from(self) -> Request | None: ...
    @property
    def redirected_to(self) -> Request | None: ...
    @property
    def failure(self) -> str | None: ...
    @property
    def timing(self) -> Any: ...
    @property
    def response_so_far(self) -> Response | None:
        """The response, if it has come."""
    def response(self) -> Operation:
        """`None` when the request failed."""
    def all_headers(self) -> Operation: ...
    def sizes(self) -> Operation: ...

@final
class Response:
    """A response to a page's request."""

    @property
    def request(self) -> Request: ...
    @property
    def url(self) -> str: ...
    @property
    def status(self) -> int: ...
    @property
    def status_text(self) -> str: ...
    @property
    def headers(self) -> list[tuple[str, str]]: ...
    @property
    def from_service_worker(self) -> bool: ...
    @property
    def server_address(self) -> tuple[str, int] | None: ...
    @property
    def security_details(self) -> Any: ...
    @property
    def http_version(self) -> str: ...
    def all_headers(self) -> Operation: ...
    def body(self) -> Operation: ...
    def finished(self) -> Operation:
        """The error text of a body that broke off."""

@final
class Route:
    """A request that waits for a decision."""

    @property
    def is_claimed(self) -> bool:
        """Whether somebody decides who goes before all others."""
    @property
    def request(self) -> Request: ...
    def resume(
        self, url: str | None, method: str | None, headers: list[tuple[str, str]] | None, body: bytes | None
    ) -> Operation:
        """Sends it on, with what is to be otherwise."""
    def fulfill(self, status: int, headers: list[tuple[str, str]], body: bytes) -> Operation:
        """Answers in the server's place."""
    def abort(self, reason: str) -> Operation: ...
    def let_go(self) -> None:
        """Sends it on as it is, at once."""

@final
class Archive:
    """An HTTP archive that requests are answered from."""

    def __new__(cls, path: str | Path) -> Archive: ...
    def answer(
        self, url: str, method: str, headers: dict[str, str], body: bytes | None, *, follows: bool
    ) -> tuple[int | None, list[tuple[str, str]], bytes] | None:
        """What it says to a request; without a status where there was no answer, `None` where it is not in it."""

@final
class Worker:
    """A worker of a page, a shared one, or a service worker."""

    @property
    def key(self) -> str:
        """What tells this worker from every other one."""
    @property
    def url(self) -> str: ...
    @property
    def is_service(self) -> bool: ...
    @property
    def page(self) -> Page | None: ...
    @property
    def is_closed(self) -> bool: ...
    def evaluate(self, script: str, argument: Any) -> Operation: ...
    def evaluate_handle(self, script: str, argument: Any) -> Operation: ...

@final
class WebSocket:
    """A web socket of a page."""

    @property
    def key(self) -> int:
        """What tells this web socket from every other one that is open."""
    @property
    def url(self) -> str: ...
    @property
    def page(self) -> Page: ...

@final
class Download:
    """A download."""

    @property
    def url(self) -> str: ...
    @property
    def suggested_filename(self) -> str: ...
    @property
    def page_id(self) -> str:
        """The browser's id of the page."""
    def ended(self, context: BrowserContext) -> Operation:
        """Waits for the end: the path of the file, and why there is none."""
    def save_as(self, context: BrowserContext, path: str | Path) -> Operation:
        """Waits for the end and copies the file; folders are made."""
    def cancel(self, context: BrowserContext) -> Operation: ...
    def delete(self, context: BrowserContext) -> Operation: ...

@final
class ApiRequestContext:
    """What sends requests without a page."""

    def __new__(cls, chosen: Any, context: BrowserContext | None = None) -> ApiRequestContext:
        """With the cookies of a browser's context, or with its own."""
    def dispose(self) -> None: ...
    def storage_state(self, databases: bool, private_files: bool) -> Operation: ...
    def cookies(self, urls: list[str]) -> Operation:
        """Its cookies, or those that go with requests to one of these addresses."""
    def add_cookies(self, cookies: Any) -> Operation: ...
    def remove_cookies(self, cookies: Any) -> Operation: ...
    def clear_cookies(self) -> Operation: ...
    def fetch(self, chosen: Any, body: tuple[str, Any] | None = None) -> Operation:
        """`body` is its kind (`bytes`, `json`, `form` or `multipart`) and what belongs to it."""

@final
class ApiResponse:
    """What came back for a request without a page."""

    @property
    def url(self) -> str: ...
    @property
    def status(self) -> int: ...
    @property
    def status_text(self) -> str: ...
    @property
    def headers(self) -> list[tuple[str, str]]: ...
    @property
    def body(self) -> bytes: ...
    @property
    def server_address(self) -> tuple[str, int] | None: ...
    @property
    def moments(self) -> tuple[float, float, float]:
        """When it was sent, in milliseconds since 1970, and after how many its head and its end came."""

def glob_matches(glob: str, url: str) -> bool:
    """Whether an address fits a pattern with wildcards. Patterns that are used again are kept."""

def document_request(frame: Frame) -> Request | None:
    """The request in whose answer the current document of a frame came."""

@final
class Block:
    """Requests that are refused, until this is removed."""

    def remove(self) -> Operation: ...

@final
class KeptAnswers:
    """Answers that are kept for as long as this lives."""

    def find(self, address: str | None, text: str | None) -> Operation:
        """Those of an address, and those that contain a text, oldest first: each as its request, status, headers and body."""
    def clear(self) -> None: ...

def block(
    context: BrowserContext,
    kinds: Sequence[str],
    domains: Sequence[str],
    ads: bool,
    lists: Sequence[str | PathLike[str]],
    addresses: Sequence[str],
) -> Operation:
    """Refuses requests of these kinds, to these domains, to those of our list or of files, and to these addresses."""

def keep_answers(
    context: BrowserContext, address: str | None, kinds: Sequence[str], most_bytes: int
) -> KeptAnswers:
    """Keeps answers that pages of a context get from now on."""

def be_where_it_comes_out(context: BrowserContext, service: str | None) -> Operation:
    """Gives a context the zone, the language and the place of where its requests come out; `service` is asked where that is."""

def scroll_through(
    frame: Frame, selector: str | None, most_times: int | None, timeout_ms: float
) -> Operation:
    """Scrolls an element, or the page with no selector, to its end and on as long as it grows, at most so often."""

def one_time_code(seed: str, seconds: int | None) -> tuple[str, int]:
    """The one-time code of a seed at a time in seconds since 1970, now with `None`, and for how many seconds it is good."""

def offered_tools(frame: Frame) -> Operation:
    """The tools that the document of a frame offers now."""

def call_offered(frame: Frame, name: str, input: Any, timeout_ms: float) -> Operation:
    """What a tool answers that the document of a frame offers."""
