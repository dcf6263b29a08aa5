"""Browsers and browser types."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .. import _core
from .._actions import milliseconds
from .._certificates import read_certificates
from .._failures import CLOSED, MissingFeature, caller
from .._folders import temporary_folder
from .._options import check_geolocation, check_media_feature, check_proxy, load_storage_state
from ..errors import Error, TargetClosedError
from ._base import DEFAULT_TIMEOUT, ApiObject, Closable, Connection
from ._events import BrowserEvents
from .cdp import CDPSession
from .context import BrowserContext
from .page import Page, check_headers
from .profile import Profile

if TYPE_CHECKING:
    from .._typed import (
        BrowserBindResult,
        ClientCertificate,
        Geolocation,
        HttpCredentials,
        ProxySettings,
        StorageState,
        ViewportSize,
    )


_TURN_MS = 10.0
"""A short sleep, in milliseconds, in which handlers and other tasks of the script can run."""


class Browser(Closable, BrowserEvents):
    """A browser."""

    def __init__(self, browser_type: BrowserType, native: _core.Browser, slow_mo: float | None) -> None:
        connection = browser_type._connection
        super().__init__(connection.with_slow_mo(slow_mo) if slow_mo else connection)
        self._browser_type = browser_type
        self._native = native
        self._contexts: dict[int, BrowserContext] = {}
        self._connected = True
        self._bound: _core.Bound | None = None
        self._is_ours = True
        self._profile: Profile | None = None
        self._connection.register(native.key, self)

    def __repr__(self) -> str:
        return f"<Browser type={self._browser_type!r} version={self.version}>"

    def _reported(self, name: str, payload: Any) -> None:
        if name == "disconnected":
            self._gone()

    def _gone(self) -> None:
        if not self._connected:
            return
        self._connected = False
        self._bound = None
        for context in list(self._contexts.values()):
            context._gone()
        self._connection.unregister(self._native.key)
        self._emit("disconnected", self)

    def _context_closed(self, context: BrowserContext) -> None:
        self._contexts.pop(context._native.key, None)

    def _context_of(self, native: _core.BrowserContext, options: dict[str, Any]) -> BrowserContext:
        context = self._contexts.get(native.key)
        if context is None:
            context = self._contexts[native.key] = BrowserContext(self, native, options)
        return context

    @property
    def browser_type(self) -> BrowserType:
        """The browser type that started this browser, or connected to it."""
        return self._browser_type

    @property
    def contexts(self) -> list[BrowserContext]:
        """The browser's contexts, oldest first. Contexts that other clients created appear once they have pages."""
        for native in self._native.contexts_of_others if self._connected else ():
            if native.key not in self._contexts:
                native.follow(self._browser_type._runtime.dispatcher)
                self._context_of(native, {})
        return list(self._contexts.values())

    @property
    def version(self) -> str:
        """The browser's version, for example `156.0.8078.79`."""
        return self._native.version

    def is_connected(self) -> bool:
        """Returns whether the browser is running and reachable."""
        return self._connected

    def close(self, *, reason: str | None = None) -> None:
        """Closes the browser and its contexts. If the script only connected to the browser, it keeps running."""
        if not self._connected:
            return
        self._check_ours()
        for context in list(self._contexts.values()):
            context._close_reason = reason or context._close_reason
            context._finish_recordings()
        self._run(self._native.close())
        self._gone()

    def new_context(
        self,
        *,
        accept_downloads: bool | None = None,
        base_url: str | None = None,
        bypass_csp: bool | None = None,
        client_certificates: Sequence[ClientCertificate] | None = None,
        color_scheme: Literal["dark", "light", "no-preference", "null"] | None = None,
        contrast: Literal["more", "no-preference", "null"] | None = None,
        default_browser_type: str | None = None,
        device_scale_factor: float | None = None,
        extra_http_headers: dict[str, str] | None = None,
        forced_colors: Literal["active", "none", "null"] | None = None,
        geolocation: Geolocation | None = None,
        has_touch: bool | None = None,
        http_credentials: HttpCredentials | Sequence[HttpCredentials] | None = None,
        ignore_https_errors: bool | None = None,
        is_mobile: bool | None = None,
        java_script_enabled: bool | None = None,
        locale: str | None = None,
        no_viewport: bool | None = None,
        offline: bool | None = None,
        permissions: Sequence[str] | None = None,
        proxy: ProxySettings | None = None,
        record_har_content: Literal["omit", "embed", "attach"] | None = None,
        record_har_mode: Literal["full", "minimal"] | None = None,
        record_har_omit_content: bool | None = None,
        record_har_path: str | Path | None = None,
        record_har_url_filter: str | re.Pattern[str] | None = None,
        record_video_dir: str | Path | None = None,
        record_video_fps: int | None = None,
        record_video_size: ViewportSize | None = None,
        reduced_motion: Literal["no-preference", "null", "reduce"] | None = None,
        screen: ViewportSize | None = None,
        service_workers: Literal["allow", "block"] | None = None,
        storage_state: StorageState | str | Path | None = None,
        strict_selectors: bool | None = None,
        timezone_id: str | None = None,
        user_agent: str | None = None,
        viewport: ViewportSize | None = None,
        focus_control: bool | None = None,
        geo: str | None = None,
        input: Literal["natural", "instant"] | None = None,
    ) -> BrowserContext:
        """Creates an isolated context with its own cookies and storage.

        Sizes (`viewport`, `screen`) are in CSS pixels. Default: pages are as large as their window. `geolocation` is in
        degrees and meters. `storage_state` is an initial state or its file's path. Relative URLs are resolved against
        `base_url`. `accept_downloads` and JavaScript are on by default. With `focus_control`, focus is not emulated.
        `input` is how pointer and keys move: `"natural"`, at a person's pace (default), or `"instant"`. `record_video_dir`
        is the folder for videos of its pages (`Page.video`), with at most `record_video_fps` frames per second (default:
        25) and the size `record_video_size`. Default size: the viewport, scaled
        down to fit into 800 by 800. `client_certificates` are used for the origins that they name, through this process.
        `geo="proxy"` sets time zone, locale and geolocation, unless given, to those of the proxy's exit IP. It asks a web
        service through the proxy: ipapi.co, or the one whose URL is given in place of `"proxy"`.

        Raises:
            Error: If options contradict each other, if that service does not answer, if WebRTC would reveal another address,
            or if a client certificate is unreadable.
        """
        if not self._connected:
            # Without this sleep, the event handlers of a script that polls in a loop would never run.
            self._runtime.sleep(_TURN_MS)
            raise TargetClosedError(f"Browser.new_context: {CLOSED}")
        return self._new_context(
            {
                "accept_downloads": accept_downloads,
                "base_url": base_url,
                "bypass_csp": bypass_csp,
                "client_certificates": client_certificates,
                "color_scheme": color_scheme,
                "contrast": contrast,
                "default_browser_type": default_browser_type,
                "device_scale_factor": device_scale_factor,
                "extra_http_headers": extra_http_headers,
                "forced_colors": forced_colors,
                "geolocation": geolocation,
                "has_touch": has_touch,
                "http_credentials": http_credentials,
                "ignore_https_errors": ignore_https_errors,
                "is_mobile": is_mobile,
                "java_script_enabled": java_script_enabled,
                "locale": locale,
                "no_viewport": no_viewport,
                "offline": offline,
                "permissions": permissions,
                "proxy": proxy,
                "record_har_content": record_har_content,
                "record_har_mode": record_har_mode,
                "record_har_omit_content": record_har_omit_content,
                "record_har_path": record_har_path,
                "record_har_url_filter": record_har_url_filter,
                "record_video_dir": record_video_dir,
                "record_video_fps": record_video_fps,
                "record_video_size": record_video_size,
                "reduced_motion": reduced_motion,
                "screen": screen,
                "service_workers": service_workers,
                "storage_state": storage_state,
                "strict_selectors": strict_selectors,
                "timezone_id": timezone_id,
                "user_agent": user_agent,
                "viewport": viewport,
                "focus_control": focus_control,
                "geo": geo,
                "input": input,
            }
        )

    def _check_ours(self) -> None:
        if self._connection.attached is not None:
            raise Error(
                f"{caller()}: the browser is the server's; contexts come and go by browser_context_create and _close"
            )

    def _new_context(self, given: dict[str, Any]) -> BrowserContext:
        self._check_ours()
        options = context_options(given, compatible=self._connection.compatible)
        native = self._run(self._native.new_context(self._runtime.dispatcher, native_options(options)))
        if options.get("geo"):
            self._place(native, options["geo"])
        context = self._context_of(native, options)
        self._emit("context", context)
        return context

    def _place(self, native: _core.BrowserContext, geo: str) -> None:
        try:
            self._run(_core.match_proxy_location(native, None if geo == "proxy" else geo))
        except BaseException:
            self._run(native.close())
            raise

    def new_browser_cdp_session(self) -> CDPSession:
        """Opens a raw CDP session with the browser."""
        self._check_ours()
        native = self._native.new_cdp_session(self._runtime.dispatcher)
        return CDPSession(self._connection, self._run(native))

    def start_tracing(
        self,
        *,
        page: Page | None = None,
        path: str | Path | None = None,
        screenshots: bool | None = None,
        categories: Sequence[str] | None = None,
    ) -> None:
        """Starts a performance trace, for the performance panel of the developer tools.

        `page` has no effect: all pages are traced. `stop_tracing` writes the trace to `path`.

        Raises:
            Error: If a trace is running.
        """
        if self._profile is not None:
            raise Error("Browser.start_tracing: Cannot start recording trace while already recording trace.")
        self._profile = Profile(self.new_browser_cdp_session(), path)
        self._profile.start(categories, screenshots=bool(screenshots))

    def stop_tracing(self) -> bytes:
        """Stops the trace and returns it as JSON.

        Raises:
            Error: If no trace is running.
        """
        if self._profile is None:
            raise Error("Browser.stop_tracing: Tracing is not started.")
        profile, self._profile = self._profile, None
        return profile.stop()

    def bind(
        self,
        title: str,
        *,
        workspace_dir: str | None = None,
        host: str | None = None,
        port: int | None = None,
    ) -> BrowserBindResult:
        """Opens a port through which other scripts connect to this browser, with `BrowserType.connect` or `connect_over_cdp`.

        Only this machine can reach the port. Anyone who knows the returned `endpoint` has full control. The port is
        open until `unbind` or the browser's end. Default: any free port. `title` and `workspace_dir` have no effect.

        Raises:
            Error: If the port is in use, the browser is already bound, or another host is given.
        """
        self._check_ours()
        if host not in (None, "127.0.0.1", "localhost", "::1"):
            raise MissingFeature(
                f"host {host!r}",
                "a browser lets in whoever reaches it, so that it listens on this machine only: tunnel its port, as with `ssh -L`",
            )
        if self._bound is not None:
            raise Error(f"{caller()}: the browser is bound already; unbind it first")
        bound = cast("_core.Bound", self._run(self._native.bind(port or None)))
        self._bound = bound
        return {"endpoint": bound.endpoint}

    def unbind(self) -> None:
        """Closes the port, disconnects all scripts, and closes their contexts."""
        self._bound = None

    def new_page(
        self,
        *,
        accept_downloads: bool | None = None,
        base_url: str | None = None,
        bypass_csp: bool | None = None,
        client_certificates: Sequence[ClientCertificate] | None = None,
        color_scheme: Literal["dark", "light", "no-preference", "null"] | None = None,
        contrast: Literal["more", "no-preference", "null"] | None = None,
        default_browser_type: str | None = None,
        device_scale_factor: float | None = None,
        extra_http_headers: dict[str, str] | None = None,
        forced_colors: Literal["active", "none", "null"] | None = None,
        geolocation: Geolocation | None = None,
        has_touch: bool | None = None,
        http_credentials: HttpCredentials | Sequence[HttpCredentials] | None = None,
        ignore_https_errors: bool | None = None,
        is_mobile: bool | None = None,
        java_script_enabled: bool | None = None,
        locale: str | None = None,
        no_viewport: bool | None = None,
        offline: bool | None = None,
        permissions: Sequence[str] | None = None,
        proxy: ProxySettings | None = None,
        record_har_content: Literal["omit", "embed", "attach"] | None = None,
        record_har_mode: Literal["full", "minimal"] | None = None,
        record_har_omit_content: bool | None = None,
        record_har_path: str | Path | None = None,
        record_har_url_filter: str | re.Pattern[str] | None = None,
        record_video_dir: str | Path | None = None,
        record_video_fps: int | None = None,
        record_video_size: ViewportSize | None = None,
        reduced_motion: Literal["no-preference", "null", "reduce"] | None = None,
        screen: ViewportSize | None = None,
        service_workers: Literal["allow", "block"] | None = None,
        storage_state: StorageState | str | Path | None = None,
        strict_selectors: bool | None = None,
        timezone_id: str | None = None,
        user_agent: str | None = None,
        viewport: ViewportSize | None = None,
        focus_control: bool | None = None,
        geo: str | None = None,
        input: Literal["natural", "instant"] | None = None,
    ) -> Page:
        """Opens a page in a new context, which closes with the page; see `new_context`."""
        if not self._connected:
            raise TargetClosedError(f"Browser.new_page: {CLOSED}")
        context = self._new_context(
            {
                "accept_downloads": accept_downloads,
                "base_url": base_url,
                "bypass_csp": bypass_csp,
                "client_certificates": client_certificates,
                "color_scheme": color_scheme,
                "contrast": contrast,
                "default_browser_type": default_browser_type,
                "device_scale_factor": device_scale_factor,
                "extra_http_headers": extra_http_headers,
                "forced_colors": forced_colors,
                "geolocation": geolocation,
                "has_touch": has_touch,
                "http_credentials": http_credentials,
                "ignore_https_errors": ignore_https_errors,
                "is_mobile": is_mobile,
                "java_script_enabled": java_script_enabled,
                "locale": locale,
                "no_viewport": no_viewport,
                "offline": offline,
                "permissions": permissions,
                "proxy": proxy,
                "record_har_content": record_har_content,
                "record_har_mode": record_har_mode,
                "record_har_omit_content": record_har_omit_content,
                "record_har_path": record_har_path,
                "record_har_url_filter": record_har_url_filter,
                "record_video_dir": record_video_dir,
                "record_video_fps": record_video_fps,
                "record_video_size": record_video_size,
                "reduced_motion": reduced_motion,
                "screen": screen,
                "service_workers": service_workers,
                "storage_state": storage_state,
                "strict_selectors": strict_selectors,
                "timezone_id": timezone_id,
                "user_agent": user_agent,
                "viewport": viewport,
                "focus_control": focus_control,
                "geo": geo,
                "input": input,
            }
        )
        page = context.new_page()
        page._owned_context = context
        context._options["owner_page"] = True
        return page


class BrowserType(ApiObject):
    """A browser type: starts browsers, or connects to running ones."""

    def __init__(self, connection: Connection, name: str) -> None:
        super().__init__(connection)
        self._name = name

    def __repr__(self) -> str:
        return f"<BrowserType name={self.name} executable_path={self.executable_path}>"

    @property
    def name(self) -> str:
        """The name: `chromium`, `firefox` or `webkit`."""
        return self._name

    @property
    def executable_path(self) -> str:
        """The path of the program that would be started; empty if there is none."""
        if self._name == "webkit":
            return ""
        return str(_core.find_browser(self._name) or "")

    def _check(self) -> None:
        if self._name == "webkit":
            instead = "use playwright.chromium or playwright.firefox"
            raise Error(f"WebKit is driven by sessions of the server, and not by this library; {instead}")

    def launch(
        self,
        *,
        args: Sequence[str] | None = None,
        artifacts_dir: str | Path | None = None,
        channel: str | None = None,
        chromium_sandbox: bool | None = None,
        devtools: bool | None = None,
        downloads_path: str | Path | None = None,
        env: dict[str, str | float | bool] | None = None,
        executable_path: str | Path | None = None,
        firefox_user_prefs: dict[str, str | float | bool] | None = None,
        handle_sighup: bool | None = None,
        handle_sigint: bool | None = None,
        handle_sigterm: bool | None = None,
        headless: bool | None = None,
        ignore_default_args: bool | Sequence[str] | None = None,
        proxy: ProxySettings | None = None,
        slow_mo: float | None = None,
        timeout: float | timedelta | None = None,
        traces_dir: str | Path | None = None,
    ) -> Browser:
        """Starts a browser, headless unless `headless=False`.

        `slow_mo` is a pause after each action, in milliseconds. Default: 0. `executable_path` and `channel` choose the
        browser. Default: the first one found on the machine. `firefox_user_prefs` are `about:config` settings, which
        override the library's. `devtools` opens a window with the developer tools in each tab. The browser always ends
        with this process: `handle_sigint` and the like have no effect, nor have `traces_dir` and `artifacts_dir`.

        Raises:
            Error: If no browser is found, it does not start, or an argument names a profile.
            TimeoutError: After `timeout` milliseconds. Default: 180 s.
        """
        self._check()
        _check_program(executable_path)
        if args and any(argument.startswith("--user-data-dir") for argument in args):
            raise Error(
                "Pass user_data_dir parameter to 'browser_type.launch_persistent_context(user_data_dir, ...)' instead of specifying '--user-data-dir' argument"
            )
        _check_no_page(args)
        if args and any(argument.startswith("--remote-debugging-pipe") for argument in args):
            raise Error("Playwright manages remote debugging connection itself.")
        given = {
            "args": args,
            "artifacts_dir": artifacts_dir,
            "channel": channel,
            "chromium_sandbox": chromium_sandbox,
            "devtools": devtools,
            "downloads_path": downloads_path,
            "env": env,
            "executable_path": executable_path,
            "firefox_user_prefs": firefox_user_prefs,
            "handle_sighup": handle_sighup,
            "handle_sigint": handle_sigint,
            "handle_sigterm": handle_sigterm,
            "headless": headless,
            "ignore_default_args": ignore_default_args,
            "proxy": proxy,
            "slow_mo": slow_mo,
            "timeout": timeout,
            "traces_dir": traces_dir,
        }
        return self._start(launch_options(given), {}, slow_mo)

    def _start(self, launch: dict[str, Any], context: dict[str, Any], slow_mo: float | None) -> Browser:
        options = {**launch, "context": native_options(context)}
        if self._name == "firefox":
            options["channel"] = "firefox"
        if self._connection.compatible:
            options["args"] = ["--disable-popup-blocking", *(launch.get("args") or ())]
        timeout = launch.get("timeout")
        native = self._run(_core.launch(self._runtime.dispatcher, options), timeout)
        return Browser(self, native, slow_mo)

    def launch_persistent_context(
        self,
        user_data_dir: str | Path,
        *,
        accept_downloads: bool | None = None,
        args: Sequence[str] | None = None,
        artifacts_dir: str | Path | None = None,
        base_url: str | None = None,
        bypass_csp: bool | None = None,
        channel: str | None = None,
        chromium_sandbox: bool | None = None,
        client_certificates: Sequence[ClientCertificate] | None = None,
        color_scheme: Literal["dark", "light", "no-preference", "null"] | None = None,
        contrast: Literal["more", "no-preference", "null"] | None = None,
        device_scale_factor: float | None = None,
        devtools: bool | None = None,
        downloads_path: str | Path | None = None,
        env: dict[str, str | float | bool] | None = None,
        executable_path: str | Path | None = None,
        extra_http_headers: dict[str, str] | None = None,
        firefox_user_prefs: dict[str, str | float | bool] | None = None,
        forced_colors: Literal["active", "none", "null"] | None = None,
        geolocation: Geolocation | None = None,
        handle_sighup: bool | None = None,
        handle_sigint: bool | None = None,
        handle_sigterm: bool | None = None,
        has_touch: bool | None = None,
        headless: bool | None = None,
        http_credentials: HttpCredentials | Sequence[HttpCredentials] | None = None,
        ignore_default_args: bool | Sequence[str] | None = None,
        ignore_https_errors: bool | None = None,
        is_mobile: bool | None = None,
        java_script_enabled: bool | None = None,
        locale: str | None = None,
        no_viewport: bool | None = None,
        offline: bool | None = None,
        permissions: Sequence[str] | None = None,
        proxy: ProxySettings | None = None,
        record_har_content: Literal["omit", "embed", "attach"] | None = None,
        record_har_mode: Literal["full", "minimal"] | None = None,
        record_har_omit_content: bool | None = None,
        record_har_path: str | Path | None = None,
        record_har_url_filter: str | re.Pattern[str] | None = None,
        record_video_dir: str | Path | None = None,
        record_video_fps: int | None = None,
        record_video_size: ViewportSize | None = None,
        reduced_motion: Literal["no-preference", "null", "reduce"] | None = None,
        screen: ViewportSize | None = None,
        service_workers: Literal["allow", "block"] | None = None,
        slow_mo: float | None = None,
        strict_selectors: bool | None = None,
        timeout: float | timedelta | None = None,
        timezone_id: str | None = None,
        traces_dir: str | Path | None = None,
        user_agent: str | None = None,
        viewport: ViewportSize | None = None,
        focus_control: bool | None = None,
        input: Literal["natural", "instant"] | None = None,
    ) -> BrowserContext:
        """Starts a browser with a profile and returns its context; see `launch` and `Browser.new_context`.

        If `user_data_dir` is empty, the profile is temporary. The browser closes with its context.

        Raises:
            Error: If the browser does not start, for example because the profile is in use.
            TimeoutError: After `timeout` milliseconds. Default: 180 s.
        """
        self._check()
        _check_program(executable_path)
        _check_no_page(args)
        given = {
            "accept_downloads": accept_downloads,
            "args": args,
            "artifacts_dir": artifacts_dir,
            "base_url": base_url,
            "bypass_csp": bypass_csp,
            "channel": channel,
            "chromium_sandbox": chromium_sandbox,
            "client_certificates": client_certificates,
            "color_scheme": color_scheme,
            "contrast": contrast,
            "device_scale_factor": device_scale_factor,
            "devtools": devtools,
            "downloads_path": downloads_path,
            "env": env,
            "executable_path": executable_path,
            "extra_http_headers": extra_http_headers,
            "firefox_user_prefs": firefox_user_prefs,
            "forced_colors": forced_colors,
            "geolocation": geolocation,
            "handle_sighup": handle_sighup,
            "handle_sigint": handle_sigint,
            "handle_sigterm": handle_sigterm,
            "has_touch": has_touch,
            "headless": headless,
            "http_credentials": http_credentials,
            "ignore_default_args": ignore_default_args,
            "ignore_https_errors": ignore_https_errors,
            "is_mobile": is_mobile,
            "java_script_enabled": java_script_enabled,
            "locale": locale,
            "no_viewport": no_viewport,
            "offline": offline,
            "permissions": permissions,
            "proxy": proxy,
            "record_har_content": record_har_content,
            "record_har_mode": record_har_mode,
            "record_har_omit_content": record_har_omit_content,
            "record_har_path": record_har_path,
            "record_har_url_filter": record_har_url_filter,
            "record_video_dir": record_video_dir,
            "record_video_fps": record_video_fps,
            "record_video_size": record_video_size,
            "reduced_motion": reduced_motion,
            "screen": screen,
            "service_workers": service_workers,
            "slow_mo": slow_mo,
            "strict_selectors": strict_selectors,
            "timeout": timeout,
            "timezone_id": timezone_id,
            "traces_dir": traces_dir,
            "user_agent": user_agent,
            "viewport": viewport,
            "focus_control": focus_control,
            "input": input,
        }
        chosen = context_options(
            {name: value for name, value in given.items() if name not in _LAUNCH_ONLY},
            compatible=self._connection.compatible,
        )
        launch = launch_options({name: value for name, value in given.items() if name in _LAUNCH})
        if str(user_data_dir):
            launch["user_data_dir"] = str(Path(user_data_dir).absolute())
        browser = self._start(launch, chosen, slow_mo)
        context = browser._context_of(browser._native.default_context, {**chosen, "persistent": True})
        if not context.pages:
            context.new_page()
        return context

    def connect(
        self,
        endpoint: str | None = None,
        *,
        timeout: float | timedelta | None = None,
        slow_mo: float | None = None,
        headers: dict[str, str] | None = None,
        expose_network: str | None = None,
        ws_endpoint: str | None = None,
    ) -> Browser:
        """Connects to a running browser, with separate contexts. `close` closes only these contexts.

        `endpoint` is the value from `Browser.bind`, or a CDP address, `ws://` or `http://`. Playwright's own server has
        another protocol, which is not supported. `ws_endpoint` is the older name of `endpoint`.

        Raises:
            Error: If no browser answers at that address within `timeout` milliseconds (default: 30 s; 0 disables the limit), or
            if `expose_network` is given.
        """
        address = endpoint or ws_endpoint
        if not address:
            raise Error("BrowserType.connect: an endpoint is needed")
        if expose_network:
            raise MissingFeature(
                "expose_network", "have the browser use a proxy on this machine, with `new_context(proxy=…)`"
            )
        return self._attach(address, headers, slow_mo, timeout, apart=True)

    def connect_over_cdp(
        self,
        endpoint_url: str,
        *,
        artifacts_dir: str | Path | None = None,
        headers: dict[str, str] | None = None,
        is_local: bool | None = None,
        no_defaults: bool | None = None,
        slow_mo: float | None = None,
        timeout: float | timedelta | None = None,
    ) -> Browser:
        """Attaches to a running browser by its `ws://` or `http://` address. `close` keeps it running.

        The settings of its default context are not changed. `slow_mo` is as for `launch`; `no_defaults`, `is_local` and
        `artifacts_dir` have no effect.

        Raises:
            Error: If there is no browser at that address.
            TimeoutError: After `timeout` milliseconds. Default: 30 s.
        """
        browser = self._attach(endpoint_url, headers, slow_mo, timeout)
        browser._context_of(browser._native.default_context, {})
        return browser

    def _attach(
        self,
        address: str,
        headers: dict[str, str] | None,
        slow_mo: float | None,
        timeout: float | timedelta | None,
        *,
        apart: bool = False,
    ) -> Browser:
        self._check()
        limit = DEFAULT_TIMEOUT if timeout is None else milliseconds(timeout)
        reported = list((headers or {}).items())
        native = self._run(
            _core.connect(self._runtime.dispatcher, address, reported, limit, {}, apart), limit
        )
        browser = Browser(self, native, slow_mo)
        browser._is_ours = False
        return browser


def _check_program(path: str | Path | None) -> None:
    if path is not None and not Path(path).exists():
        raise Error(f"{caller()}: Failed to launch chromium because executable doesn't exist at {path}")


def _check_no_page(arguments: Sequence[str] | None) -> None:
    if any(not argument.startswith("-") for argument in arguments or ()):
        raise Error(f"{caller()}: Arguments can not specify page to be opened")


_LAUNCH = {
    "args",
    "artifacts_dir",
    "channel",
    "chromium_sandbox",
    "devtools",
    "downloads_path",
    "env",
    "executable_path",
    "firefox_user_prefs",
    "handle_sighup",
    "handle_sigint",
    "handle_sigterm",
    "headless",
    "ignore_default_args",
    "proxy",
    "slow_mo",
    "timeout",
    "traces_dir",
}
_LAUNCH_ONLY = _LAUNCH - {"proxy"}


def launch_options(given: dict[str, Any]) -> dict[str, Any]:
    """Converts launch options for the engine."""
    options: dict[str, Any] = {"headless": given.get("headless") is not False}
    options["devtools"] = bool(given.get("devtools"))
    check_proxy(given.get("proxy"))
    for name in ("executable_path", "args", "env", "proxy", "chromium_sandbox", "firefox_user_prefs"):
        if given.get(name) is not None:
            options[name] = given[name]
    if "executable_path" in options:
        options["executable_path"] = str(options["executable_path"])
    if "env" in options:
        options["env"] = {name: str(value) for name, value in options["env"].items()}
    channel = given.get("channel")
    if channel is not None and channel not in ("chromium", "chromium-headless-shell"):
        options["channel"] = channel
    ignored = given.get("ignore_default_args")
    if ignored is True:
        options["ignore_all_default_args"] = True
    elif ignored:
        options["ignore_default_args"] = list(ignored)
    if given.get("timeout") is not None:
        options["timeout"] = milliseconds(given["timeout"])
    return options


def _set_size(options: dict[str, Any], *, compatible: bool) -> None:
    """Adds the default size of pages to the options, unless a size is given."""
    if options.get("no_viewport"):
        if "viewport" in options:
            raise Error("viewport and no_viewport are exclusive")
        if options.get("is_mobile"):
            raise Error(f'{caller()}: "isMobile" option is not supported with null "viewport"')
        if options.get("device_scale_factor"):
            raise Error(f'{caller()}: "deviceScaleFactor" option is not supported with null "viewport"')
    elif "viewport" not in options:
        emulated = ("is_mobile", "device_scale_factor", "screen")
        if compatible or any(options.get(name) for name in emulated):
            options["viewport"] = {"width": 1280, "height": 720}
        else:
            options["window_is_viewport"] = True


def context_options(given: dict[str, Any], *, compatible: bool) -> dict[str, Any]:
    """Checks and completes the options of a context."""
    options = {name: value for name, value in given.items() if value is not None}
    if compatible:
        if options.get("input") in (None, "instant"):
            options["input"] = "bare"
        options["single_language"] = True
        options.setdefault("focus_everywhere", not options.get("focus_control"))
    _set_size(options, compatible=compatible)
    geo = options.get("geo")
    if geo is not None and geo != "proxy" and not geo.startswith(("http://", "https://")):
        raise Error(f'{caller()}: geo: expected "proxy" or the address of a service, got {geo!r}')
    check_proxy(options.get("proxy"))
    check_geolocation(options.get("geolocation"))
    for name in _MEDIA:
        if name in options:
            check_media_feature(name, options[name])
    check_headers(options.get("extra_http_headers") or {})
    if options.get("client_certificates"):
        options["client_certificates"] = read_certificates(options["client_certificates"])
    if "storage_state" in options:
        options["storage_state"] = load_storage_state(options["storage_state"])
    return options


_NATIVE = (
    "viewport",
    "window_is_viewport",
    "screen",
    "user_agent",
    "locale",
    "single_language",
    "timezone_id",
    "extra_http_headers",
    "ignore_https_errors",
    "client_certificates",
    "permissions",
    "storage_state",
    "device_scale_factor",
    "is_mobile",
    "has_touch",
    "proxy",
    "geolocation",
    "offline",
    "java_script_enabled",
    "bypass_csp",
    "http_credentials",
    "accept_downloads",
    "service_workers",
)
_MEDIA = ("color_scheme", "reduced_motion", "forced_colors", "contrast")


@functools.cache
def _downloads_folder(_process: int) -> Path:
    """Returns the folder for downloads of this process. The argument, a process id, is the cache's key."""
    return temporary_folder("downloads")


def native_options(options: dict[str, Any]) -> dict[str, Any]:
    """Converts context options to those of the engine."""
    values = {name: options[name] for name in _NATIVE if name in options}
    values.update({name: options[name] for name in _MEDIA if options.get(name) not in (None, "null")})
    values["focus"] = not options.get("focus_control") and not options.get("focus_everywhere")
    values["focus_everywhere"] = bool(options.get("focus_everywhere"))
    if options.get("input"):
        values["input"] = options["input"]
    if options.get("accept_downloads") is not False:
        values["downloads"] = str(options.get("downloads_path") or _downloads_folder(os.getpid()))
    if "permissions" in values:
        values["permissions"] = list(values["permissions"])
    return values
