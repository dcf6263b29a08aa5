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
    "block",
    "call_offered",
    "call_tool",
    "close_tools",
    "connect",
    "crawl",
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
    "match_proxy_location",
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

    From then on, the server handles interrupts: Ctrl-C shuts down the server and its browser instead of
    raising `KeyboardInterrupt`.

    Args:
        arguments: The command-line arguments after the program's name.

    Returns:
        The exit status.

    Raises:
        RuntimeError: If this process was forked from one that has used the engine.
    """

def is_login_timeout(error: str) -> bool:
    """Returns whether an error text reports that nobody logged in within the time limit."""

@final
class CooldownState:
    """The login cooldown of this process: after a login timeout, calls are rejected for a while."""

    def __new__(cls) -> CooldownState: ...
    @property
    def since(self) -> float | None:
        """When the cooldown started, in seconds since 1970; `None` if none is active."""
    @since.setter
    def since(self, value: float | None) -> None: ...
    @property
    def period(self) -> float:
        """The length of a cooldown in seconds."""
    @period.setter
    def period(self, value: float) -> None: ...
    def use_clock(self, clock: Callable[[], float]) -> None:
        """Replaces the clock that the cooldown uses: a function that returns seconds since 1970."""
    def check(self) -> str | None:
        """Returns the answer to a call during a cooldown; `None` if no cooldown is active."""
    def record(self) -> str:
        """Starts a cooldown now. Returns the message for the user."""

def list_patchright_tools() -> str:
    """Returns the descriptions of the `patchright_*` tools as JSON."""

def call_tool(name: str, arguments: str) -> Awaitable[str]:
    """Calls a tool as an MCP client does. Returns an awaitable of the JSON result."""

def close_tools() -> None:
    """Closes the browser that `call_tool` uses, if one runs."""

_Outcome: TypeAlias = tuple[str, str, str, str, bytes, str | None, str | None]

@final
class ToolBrowser:
    """A browser for one-shot calls: each opens a page, does one thing there, and closes it."""

    def __new__(cls, headless: bool, timeout: float, user_data_dir: str | None) -> ToolBrowser: ...
    def fetch(self, url: str, wait_for: str | None) -> _Outcome: ...
    def screenshot(self, url: str, full_page: bool) -> _Outcome: ...
    def click(self, url: str, selector: str) -> _Outcome: ...
    def fill_form(self, url: str, fields: list[tuple[str, str]], submit: str | None) -> _Outcome: ...
    def execute_js(self, url: str, script: str) -> _Outcome: ...
    def close(self) -> None:
        """Closes the browser, if one runs."""

# The classes and functions behind `async_api` and `sync_api`.

@final
class Operation:
    """An operation of the engine, which runs once a `Dispatcher` starts it."""

    def cancel(self) -> None:
        """Cancels a started operation, without waiting for the browser."""

@final
class Dispatcher:
    """Delivers results and events to Python, in order.

    With an event loop, `fileno` becomes readable when something arrives, and `drain` delivers it. Without one, the
    thread that waits for an operation delivers what arrives meanwhile.
    """

    def __new__(cls, handler: Any, with_wakeup_pipe: bool) -> Dispatcher:
        """`with_wakeup_pipe`: whether an event loop watches `fileno`. If not, a thread can call `listen` instead."""
    def fileno(self) -> int:
        """The file descriptor for an event loop to watch; -1 if there is none."""
    def listen(self) -> bool:
        """Blocks until there is something to `drain`, if the loop cannot watch `fileno`. False after `close`."""
    def begin(self, operation: Operation, future: Any) -> None:
        """Starts an operation; `drain` sets the result of `future`."""
    def start(self, operation: Operation) -> None:
        """Starts an operation and ignores its result."""
    def hear(self, context: int, requests: bool, sockets: bool, dialogs: bool) -> None:
        """Sets which optional events of a context are delivered: requests, WebSocket frames, dialogs."""
    def drain(self) -> None:
        """Delivers all results and events that have arrived."""
    def close(self) -> None:
        """Stops delivery, and fails all operations that are still awaited."""
    def wait(self, operation: Operation) -> Any:
        """Blocks until an operation has completed, and returns its result. Meanwhile, events are delivered."""

@final
class Promise:
    """A result or exception that is set once and can be waited for, as by `expect_event`."""

    def __new__(cls) -> Promise: ...
    def is_done(self) -> bool: ...
    def resolve(self, value: Any) -> None:
        """Sets the result. Has no effect if a result or an exception was set before."""
    def reject(self, error: Any) -> None: ...
    def wait(self, timeout_ms: float) -> Operation:
        """Waits for the result, at most `timeout_ms` milliseconds; 0 disables the limit."""

@final
class Browser:
    """A browser."""

    @property
    def is_headless(self) -> bool:
        """Whether the browser runs without a window."""

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
        """The contexts that other clients of the browser created, if they have pages."""
    def new_context(self, dispatcher: Dispatcher, chosen: Any) -> Operation: ...
    def bind(self, port: int | None = None) -> Operation:
        """Opens a port on this machine through which other clients can connect. Default: any free port."""
    def new_cdp_session(self, dispatcher: Dispatcher) -> Operation:
        """Opens a raw CDP session and sends its events to `dispatcher`."""
    def close(self) -> Operation: ...

@final
class Bound:
    """An open port of a browser, through which other clients connect, until this object is dropped."""

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
        """The browser that this context belongs to."""
    def follow(self, dispatcher: Dispatcher) -> None:
        """Sends the context's events to `dispatcher` from now on."""
    def route(self, globs: Sequence[str] | None) -> Operation:
        """Intercepts requests to URLs that match one of `globs`; all requests with `None`."""
    @property
    def key(self) -> int: ...
    @property
    def pages(self) -> list[Page]: ...
    @property
    def is_closed(self) -> bool: ...
    def new_page(self) -> Operation: ...
    def close(self) -> Operation: ...
    def expose(self, name: str, all_frames: bool, keeps: bool) -> Operation:
        """Exposes a function to all pages; calls arrive as `called` events. `keeps`: the first argument is a handle."""
    def route_sockets(self, name: str) -> Operation:
        """Routes new connections through the exposed function `name`, whose calls arrive as `called` events."""
    def add_init_script(self, source: str) -> Operation: ...
    def set_console_filter(self, messages: bool, errors: bool) -> None:
        """Sets whether console messages and uncaught errors of the context's pages and workers are reported."""
    def new_cdp_session(self, dispatcher: Dispatcher, frame: Frame) -> Operation:
        """Opens a raw CDP session with a page or a frame, and sends its events to `dispatcher`."""
    def cookies(self, urls: list[str]) -> Operation:
        """Returns the cookies that would be sent to `urls`; if empty, all cookies."""
    def add_cookies(self, cookies: Any) -> Operation: ...
    def remove_cookies(self, cookies: Any) -> Operation: ...
    def clear_cookies(self) -> Operation: ...
    def offer_passkeys(self) -> Operation:
        """Enables a virtual authenticator with these passkeys, in place of the machine's own authenticators."""
    def add_passkey(self, given: Any) -> Operation:
        """Adds a passkey, or replaces the one with the same id. Returns it with the generated values."""
    def delete_passkey(self, id: str) -> Operation: ...
    def passkeys(self) -> Operation: ...
    def storage_state(self, databases: bool, private_files: bool) -> Operation: ...
    def replace_storage(self, state: Any) -> Operation:
        """Replaces cookies and storage with those of `state`."""
    def grant_permissions(self, permissions: list[str], origin: str | None) -> Operation: ...
    def clear_permissions(self) -> Operation: ...
    def set_geolocation(self, geolocation: Any) -> Operation: ...
    def set_offline(self, offline: bool) -> Operation: ...
    def turn_clock(self, turn: Any) -> Operation:
        """Controls the fake clock of all documents of the context, see `ClockCommand`."""
    def set_extra_headers(self, headers: dict[str, str]) -> Operation: ...

@final
class ProgramGate:
    """The server's rules for a program: which URLs it may open, and the time limits."""

    def permit(self, url: str) -> Operation:
        """Checks a URL against the server's rules, and waits if they demand it. Returns the URL to open."""
    def delegate_unmatched_requests(self, context: BrowserContext, decides: bool) -> None:
        """Sets whether the program decides about a context's requests that match none of the server's own rules."""
    @property
    def limits(self) -> tuple[float, float]:
        """The time limits for actions and navigations, in milliseconds."""

@final
class Pacing:
    """Paces navigations: a minimum interval between those to one origin, and the rules of robots.txt."""

    def __new__(cls, min_interval_s: float, respect_robots: bool) -> Pacing: ...
    def before(self, context: BrowserContext, url: str) -> Operation:
        """Waits until a page of this context may navigate to `url`. Fails if robots.txt disallows it."""

@final
class Ended:
    """Signals the end of a program."""

    def set(self) -> None: ...

@final
class CdpSession:
    """A raw CDP session."""

    @property
    def key(self) -> int:
        """The unique id of this session."""
    def send(self, method: str, parameters: Any, timeout_ms: float) -> Operation:
        """Sends a command. `timeout_ms`: 0 disables the limit."""
    def detach(self) -> Operation: ...

@final
class ScriptRecording:
    """A recording of a tab, which ends when this object is dropped."""

    @property
    def written(self) -> str:
        """Returns the script recorded so far, a test that repeats the actions."""

def launch(dispatcher: Dispatcher, chosen: Any) -> Operation:
    """Starts a browser and sends its events to `dispatcher`."""

def connect(
    dispatcher: Dispatcher,
    endpoint: str,
    headers: list[tuple[str, str]],
    timeout_ms: float,
    chosen: Any,
    apart: bool,
) -> Operation:
    """Connects to a running browser. `apart`: leaves the contexts of other clients alone."""

def find_browser(name: str) -> Path | None:
    """The path of the browser that would be started for this channel; `None` if none is installed."""

def har_entry(request: dict[str, Any], content: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The HAR entry of a request as JSON, with the files that belong to it.

    Args:
        request: The request, with `timing` as in `Request.timing` and its `response`, or `None`.
        content: `embed`, `attach` or `omit`.
    """

def devices() -> dict[str, dict[str, Any]]:
    """The context options that emulate each device, by the device's name."""

def paper_size(name: str) -> tuple[float, float] | None:
    """The width and height in inches of a paper format such as `A4`."""

def register_selector(name: str, source: str) -> bool:
    """Registers a custom selector engine. Returns false if the name is taken."""

def selector_by(what: str, words: Any) -> str:
    """A selector by `text`, `label`, `testId` or an attribute."""

def selector_by_role(role: str, chosen: Any) -> str:
    """Builds a selector by role; `chosen` may add `states`, `name` and `description`."""

def selector_filter(chosen: Any) -> str:
    """A filter to append to a selector."""

def selector_of_way(way: Any) -> str:
    """Converts the engine's description of how to find an element to a selector."""

def test_id_attribute() -> str:
    """The name of the attribute that holds test ids."""

def set_test_id_attribute(name: str) -> None:
    """Sets the name of the attribute that holds test ids."""

@final
class Page:
    """A page: one tab of the browser."""

    @property
    def id(self) -> str:
        """The browser's target id."""
    def requests(self) -> list[Request]:
        """The latest requests, oldest first."""
    def route(self, globs: Sequence[str] | None) -> Operation:
        """Intercepts requests to URLs that match one of `globs`; all requests with `None`."""
    @property
    def key(self) -> int:
        """The unique id of this page."""
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
        """Goes back in the history. Returns `None` if there is no earlier entry."""
    def go_forward(self, until: str, timeout_ms: float) -> Operation: ...
    def close(self, ask: bool) -> Operation:
        """Closes the tab. With `ask`, the page may refuse (`beforeunload`), and this does not wait for it."""
    def bring_to_front(self) -> Operation: ...
    def answer_dialog(self, accept: bool, text: str | None) -> Operation: ...
    def catch_file_choosers(self, enabled: bool) -> Operation:
        """Sets whether file choosers are reported instead of shown."""
    def set_viewport(self, width: int, height: int) -> Operation: ...
    def set_extra_headers(self, headers: dict[str, str]) -> Operation: ...
    def emulate_media(self, media: Any) -> Operation: ...
    def add_locator_handler(
        self, selector: str, name: str, no_wait_after: bool, times: int | None, dispatcher: Dispatcher
    ) -> int:
        """Adds a handler: an `in_the_way` event is sent when its element blocks an action. Returns its number."""
    def has_locator_handler(self, handler: int) -> bool:
        """Returns whether a handler may still be called."""
    def remove_locator_handler(self, handler: int) -> None: ...
    def expose(self, name: str, all_frames: bool, keeps: bool) -> Operation:
        """Exposes a function to the page; calls arrive as `called` events. `keeps`: the first argument is a handle."""
    def set_console_filter(self, messages: bool, errors: bool) -> None:
        """Sets whether console messages and uncaught errors of this page are reported."""
    def replay_console(self, errors: bool) -> Operation:
        """Sends events for the console messages that the browser has stored, and with `errors` for errors."""
    def clear_console(self) -> None: ...
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
        """Takes a screenshot. `area`: `viewport`, `page` or `element`, with an optional clip: x, y, width and height.

        `masks`: frames with selectors of elements to cover. `finish`: other changes to the page meanwhile.
        """
    def pick(self) -> Operation:
        """Waits until the user clicks an element. Returns its selector and a Python expression for its locator."""
    def record_script(self, language: str) -> Operation:
        """Records the user's actions in this tab as a script in `python` or `typescript`."""
    def cancel_pick(self) -> None: ...
    def hide_highlights(self) -> None: ...
    def snapshot(self, chosen: Any) -> Operation:
        """Returns the snapshot of the page, with refs. `chosen`: see `SnapshotOptions`."""
    def read(self, format: str) -> Operation:
        """Returns the content of the page. `format`: `text`, `markdown` or `html`."""
    def dom_snapshots(self, timeout_ms: float) -> Operation:
        """Returns snapshots of all frames for a trace: frame id, URL, doctype, nested arrays, whether it is main."""
    def glimpse(self, limit_ms: float) -> tuple[bytes, str] | None:
        """Returns a JPEG screenshot and the snapshot, for previews; `None` if they take longer than `limit_ms`."""
    def wall(self, asked: str | None, acts: bool) -> Operation:
        """Returns the challenge on the page (login, captcha, …), or `None`. `asked`: the requested URL."""
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
    """An open dialog."""

    @property
    def kind(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def default_value(self) -> str: ...

@final
class FileChooser:
    """A file chooser that a page has opened."""

    @property
    def is_multiple(self) -> bool: ...
    def element(self) -> Operation:
        """The file input."""

@final
class Call:
    """A page's call of an exposed function. The page waits for the answer."""

    @property
    def frame(self) -> Frame: ...
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> Any:
        """The arguments of the call, as a list."""
    @property
    def kept(self) -> JsHandle | None:
        """The first argument as a handle, if the function was exposed with `keeps`."""
    def answer(self, value: Any, failed: bool) -> Operation:
        """Returns `value` to the page, or throws it there if the call `failed`."""

@final
class HandlerCall:
    """A call of a locator handler. The action that the handler's element blocks waits until `end` is called."""

    @property
    def handler(self) -> int:
        """The handler's number, as `Page.add_locator_handler` returned it."""
    def end(self, raised: BaseException | None) -> None:
        """Lets the action continue, or fail with the handler's exception."""

@final
class Video:
    """A running or completed video."""

    def __new__(cls, page: Page, path: str, chosen: Any) -> Video:
        """Starts a video of a page in the file `path`. See `VideoOptions`."""
    @property
    def path(self) -> Path: ...
    def stop(self) -> Operation:
        """Stops the video and waits until its file is written."""
    def until_ended(self) -> Operation:
        """Waits until the file is complete: after the page was closed, or the video was stopped."""

@final
class Captions:
    """Overlays on the screencast of a page."""

    def __new__(cls, page: Page) -> Captions: ...
    def show(self, html: str, duration_ms: float | None = None) -> Operation:
        """Shows HTML over the frames: for `duration_ms`, or until `remove` is called with the returned number."""
    def show_chapter(self, title: str, description: str | None, duration_ms: float) -> Operation:
        """Like `show`, with a title in the middle over the blurred page."""
    def remove(self, number: int) -> None: ...
    def set_hidden(self, hidden: bool) -> None: ...
    def show_actions(self, how: Any | None) -> None:
        """Shows each action in the frames before it runs; `None` turns this off. `how`: see `ActionCaptions`."""

@final
class CastFrame:
    """One frame of a screencast. The next one is taken when this object is dropped."""

    @property
    def data(self) -> bytes:
        """The frame as a JPEG image."""
    @property
    def timestamp(self) -> float:
        """When the frame was taken, in milliseconds since 1970."""
    @property
    def viewport(self) -> tuple[float, float]: ...

@final
class Screencast:
    """A screencast of a page, which runs until it is stopped."""

    def __new__(cls, page: Page, dispatcher: Dispatcher, key: int, chosen: Any) -> Screencast:
        """Starts the screencast, which sends `screencastframe` events with `key` to `dispatcher`."""
    def stop(self) -> None: ...

@final
class Frame:
    """A frame, which shows one document after another."""

    @property
    def key(self) -> int:
        """The unique id of this frame."""
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
        """The child frames in order of creation."""
    @property
    def loader(self) -> str:
        """The loader id of the current document. The document's request has the same id."""
    def goto(self, url: str, until: str, timeout_ms: float, referrer: str | None = None) -> Operation:
        """Navigates. Returns the outcome: `document`, `same_document`, `download`, `no_content` or `dialog`."""
    def set_content(self, html: str, until: str, timeout_ms: float) -> Operation: ...
    def content(self, with_shadows: bool) -> Operation: ...
    def title(self) -> Operation: ...
    def add_tag(self, name: str, tag: Any) -> Operation:
        """Adds a `script` or `style` element, see `Tag`."""
    def extract(self, each: str | None, fields: dict[str, Any] | None) -> Operation:
        """Extracts rows: one per match of `each` with `fields`, or else those of the first table in `each`."""
    def wait_for_url_change(self, url: str, timeout_ms: float) -> Operation:
        """Waits until the URL differs from `url`. Returns the new one."""
    def stored(self, kind: str, name: str | None) -> Operation:
        """Returns the entries of the `local` or `session` storage; with `name`, only that one."""
    def store(self, kind: str, name: str, value: str) -> Operation: ...
    def forget_stored(self, kind: str, name: str | None) -> Operation:
        """Removes the entry `name`, or with `None` all entries, of the `local` or `session` storage."""
    def wait_for_load_state(self, state: str, timeout_ms: float) -> Operation: ...
    def evaluate(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def evaluate_handle(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def command_socket(self, name: str, socket: float, number: int, what: str, value: Any) -> Operation:
        """Sends a command to a routed WebSocket of the page, which runs commands in the order of `number`, from 0."""
    def wait_for_function(
        self, script: str, argument: Any, isolated: bool | None, pause_ms: float, timeout_ms: float
    ) -> Operation:
        """Waits until a script returns a truthy value. With `pause_ms` below 0, it runs about once per animation frame.

        If `isolated` is `None`, a script that only reads the document runs in the isolated world.
        """
    def perform(self, selector: str, strict: bool, action: Any, timeout_ms: float) -> Operation:
        """Performs `action` on the element that a selector matches, see `ElementAction`."""
    def highlight(self, selector: str) -> Operation:
        """Highlights all elements that a selector matches now."""
    def hide_highlight(self, selector: str) -> None: ...
    def query(self, selector: str, strict: bool) -> Operation:
        """Returns the element that a selector matches now, or `None`."""
    def is_visible(self, selector: str, strict: bool) -> Operation:
        """Returns whether the element that a selector matches now is visible."""
    def query_all(self, selector: str) -> Operation: ...
    def evaluate_all(self, selector: str, script: str, argument: Any, isolated: bool) -> Operation:
        """Runs a script with an array of all elements that a selector matches now."""
    def texts(self, selector: str, drawn: bool) -> Operation:
        """Returns the text of each element that a selector matches: `innerText` if `drawn`, otherwise `textContent`."""
    def expect(self, selector: str, what: str, expected: Any, is_not: bool, timeout_ms: float) -> Operation:
        """Waits until elements match, or with `is_not` do not. Returns whether they match, and the value."""
    def expect_title(self, expected: Any, is_not: bool, timeout_ms: float) -> Operation:
        """Waits until the title matches, or with `is_not` does not. Returns the result and the title."""
    def expect_property(
        self, selector: str, path: str, expected: Any, is_not: bool, timeout_ms: float
    ) -> Operation:
        """Waits until a property of the element equals the expected value, or with `is_not` differs from it."""
    def expect_aria(self, selector: str, template: str, is_not: bool, timeout_ms: float) -> Operation:
        """Waits until the element's accessibility tree matches a template, or with `is_not` does not match."""
    def snapshot(self, selector: str, strict: bool, chosen: Any, timeout_ms: float) -> Operation:
        """Returns the snapshot of the element, with refs. `chosen`: see `SnapshotOptions`."""
    def count(self, selector: str) -> Operation: ...
    def wait_for(self, selector: str, state: Any, strict: bool, timeout_ms: float) -> Operation:
        """Waits until an element is in a state: `attached`, `visible`, `hidden` or `detached`."""
    def evaluate_on(
        self, selector: str, strict: bool, script: str, argument: Any, isolated: bool, timeout_ms: float
    ) -> Operation:
        """Runs a script with the element as soon as it exists, and returns the script's value."""
    def drag(self, source: str, target: str, strict: bool, how: Any, timeout_ms: float) -> Operation:
        """Drags one element onto another. `how`: positions, `force`, `trial`, `steps` and `keeps_scroll`."""
    def frame_element(self) -> Operation:
        """The element that embeds this frame."""

@final
class JsHandle:
    """A handle to a JavaScript object or value."""

    @property
    def is_node(self) -> bool:
        """Whether the object is a DOM node."""
    @property
    def description(self) -> tuple[str, str | None, str | None, str | None]:
        """Describes the object: type, subtype, description, and its value as text."""
    def evaluate(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def evaluate_handle(self, script: str, argument: Any, isolated: bool) -> Operation: ...
    def json_value(self) -> Operation: ...
    def get_property(self, name: str) -> Operation: ...
    def get_properties(self) -> Operation: ...
    def perform(self, action: Any, timeout_ms: float) -> Operation:
        """Performs an action, see `ElementAction`."""
    def preview(self) -> str:
        """Returns a one-line preview. Blocks up to 1 s; empty if the browser has not computed it by then."""
    def query(self, selector: str, strict: bool) -> Operation:
        """The first match of a selector within this element."""
    def evaluate_all(self, selector: str, script: str, argument: Any) -> Operation:
        """Runs a script with an array of all matches of a selector within this element."""
    def dispatch(self, kind: str, init: Any) -> Operation:
        """Dispatches an event of type `kind` in the main world; `init` may contain handles."""
    def query_all(self, selector: str) -> Operation:
        """All matches of a selector within this element."""
    def wait_for(self, selector: str, state: Any, strict: bool, timeout_ms: float) -> Operation:
        """Waits for a match of a selector within this element."""
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
        """The frame that this element embeds."""
    def owner_frame(self) -> Operation:
        """The frame whose document contains this node."""

# Network traffic.

@final
class Request:
    """A request of a page or worker."""

    @property
    def key(self) -> int:
        """The unique id of this request."""
    @property
    def url(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers that the page's process set, without those that the browser adds when sending."""
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
        """The response, if it has arrived."""
    def response(self) -> Operation:
        """Waits for the response; `None` if the request failed."""
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
        """Waits until the body has been received. Returns the error text if it was cut off, otherwise `None`."""

@final
class Route:
    """An intercepted request."""

    @property
    def is_claimed(self) -> bool:
        """Whether a handler of the server, which takes precedence over the script's, decides about the request."""
    @property
    def request(self) -> Request: ...
    def resume(
        self, url: str | None, method: str | None, headers: list[tuple[str, str]] | None, body: bytes | None
    ) -> Operation:
        """Continues the request with these changes."""
    def fulfill(self, status: int, headers: list[tuple[str, str]], body: bytes) -> Operation:
        """Answers the request instead of the server."""
    def abort(self, reason: str) -> Operation: ...
    def let_go(self) -> None:
        """Continues the request unchanged, without waiting for the browser."""

@final
class Archive:
    """A HAR archive that answers requests."""

    def __new__(cls, path: str | Path) -> Archive: ...
    def answer(
        self, url: str, method: str, headers: dict[str, str], body: bytes | None, *, follows: bool
    ) -> tuple[int | None, list[tuple[str, str]], bytes] | None:
        """Returns the recorded response; its status is `None` if the request failed. `None` if not recorded."""

@final
class Worker:
    """A dedicated, shared or service worker."""

    @property
    def key(self) -> str:
        """The unique id of this worker."""
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
    """A WebSocket of a page."""

    @property
    def key(self) -> int:
        """The unique id of this WebSocket among the open ones."""
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
        """The target id of the page that started the download."""
    def ended(self, context: BrowserContext) -> Operation:
        """Waits until the download has ended. Returns the file's path, or `None` and the reason of the failure."""
    def save_as(self, context: BrowserContext, path: str | Path) -> Operation:
        """Waits until the download has ended, and copies the file to `path`. Missing folders are created."""
    def cancel(self, context: BrowserContext) -> Operation: ...
    def delete(self, context: BrowserContext) -> Operation: ...

@final
class ApiRequestContext:
    """Sends requests without a page."""

    def __new__(cls, chosen: Any, context: BrowserContext | None = None) -> ApiRequestContext:
        """`context`: the browser context whose cookies are used. Default: a separate cookie store."""
    def dispose(self) -> None: ...
    def storage_state(self, databases: bool, private_files: bool) -> Operation: ...
    def cookies(self, urls: list[str]) -> Operation:
        """Returns the cookies that would be sent to `urls`; if empty, all cookies."""
    def add_cookies(self, cookies: Any) -> Operation: ...
    def remove_cookies(self, cookies: Any) -> Operation: ...
    def clear_cookies(self) -> Operation: ...
    def fetch(self, chosen: Any, body: tuple[str, Any] | None = None) -> Operation:
        """Sends a request. `body`: its kind (`bytes`, `json`, `form` or `multipart`) and value."""

@final
class ApiResponse:
    """The response to a request without a page."""

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
        """When the request was sent, in ms since 1970, and the ms until the response's headers and its end."""

def glob_matches(glob: str, url: str) -> bool:
    """Whether a URL matches a glob. Compiled globs are cached."""

def document_request(frame: Frame) -> Request | None:
    """The request of a frame's current document."""

@final
class Block:
    """A rule that blocks requests until it is removed."""

    def remove(self) -> Operation: ...

@final
class KeptAnswers:
    """Responses to a context's pages, which are stored as long as this object exists."""

    def find(self, address: str | None, text: str | None) -> Operation:
        """Returns the stored responses by URL and text, oldest first: request, status, headers and body of each."""
    def clear(self) -> None: ...

def block(
    context: BrowserContext,
    kinds: Sequence[str],
    domains: Sequence[str],
    ads: bool,
    lists: Sequence[str | PathLike[str]],
    addresses: Sequence[str],
) -> Operation:
    """Blocks requests by kind, domain and URL pattern; `ads`: a list of ad servers; `lists`: files of domains."""

def crawl(context: BrowserContext, arguments: dict[str, Any], pacing: Pacing | None) -> Operation:
    """Crawls a site in tabs of a context. Returns the report as a dict."""

def keep_answers(
    context: BrowserContext, address: str | None, kinds: Sequence[str], most_bytes: int
) -> KeptAnswers:
    """Stores the responses to a context's pages from now on."""

def match_proxy_location(context: BrowserContext, service: str | None) -> Operation:
    """Sets time zone, locale and geolocation to those of the public IP address, which the URL `service` reports."""

def scroll_through(
    frame: Frame, selector: str | None, most_times: int | None, timeout_ms: float
) -> Operation:
    """Scrolls an element or the page to its end, repeatedly while it grows. Returns how often it grew."""

def one_time_code(seed: str, seconds: int | None) -> tuple[str, int]:
    """Returns the code of a seed at the Unix time `seconds` (`None`: now), and for how many seconds it is valid."""

def offered_tools(frame: Frame) -> Operation:
    """Returns the tools that a frame's document offers now."""

def call_offered(frame: Frame, name: str, input: Any, timeout_ms: float) -> Operation:
    """Calls a tool of a frame's document and returns the tool's result."""
