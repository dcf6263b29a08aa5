"""Errors that name the wrong argument: `Page.goto: url: expected string, got number`."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import os
import re
import types
import typing
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, Union

from . import _typed
from ._failures import caller
from .errors import BrowserError, Error, TargetClosedError, TimeoutError  # noqa: A004

F = TypeVar("F", bound=Callable[..., Any])

_RAISED = (TypeError, KeyError, AttributeError, OverflowError, ValueError, Error, BrowserError)
"""The exceptions that a wrong argument can cause inside a method."""
_CHECKED_FIRST = {
    "clear_cookies",
    "connect",
    "connect_over_cdp",
    "expose_binding",
    "expose_function",
    "launch",
    "launch_persistent_context",
    "new_context",
    "route",
    "screenshot",
    "to_have_count",
}
"""Methods whose arguments are checked before the call, since wrong ones would cause errors only later."""
_ARGUMENT = re.compile(r"([a-z_]+)[\w.\[\]]*: ")
"""Matches the beginning of an error message that names an argument but not the method."""
_VAGUE = re.compile(r": expected (?!.*, got )|got undefined")
"""Matches vague engine errors (without the actual type), which a type check's message replaces."""
_RANGE = "expected a number from 0 to"
_LARGEST = 2**32 - 1
_NAMES: dict[Any, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    bytes: "bytes",
    type(None): "null",
    Path: "path",
    collections.abc.Mapping: "object",
    collections.abc.Sequence: "array",
    collections.abc.Iterable: "array",
    collections.abc.Callable: "function",
}


class ChecksArguments:
    """Base class whose public methods name the wrong argument in errors, after a call has failed."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        for name, method in list(vars(cls).items()):
            if isinstance(method, types.FunctionType) and not name.startswith("_"):
                setattr(cls, name, _checking(method))


def checked(method: F) -> F:
    """Decorates a function so that it checks its arguments before each call, instead of after a failure."""

    @functools.wraps(method)
    def checking(*arguments: Any, **named: Any) -> Any:
        _check(method, arguments, named)
        return method(*arguments, **named)

    return typing.cast("F", checking)


def _checking(method: F) -> F:
    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def asynchronous(*arguments: Any, **named: Any) -> Any:
            __tracebackhide__ = True
            _check_first(method, arguments, named)
            try:
                return await method(*arguments, **named)
            except _RAISED as failure:
                _explain(failure, method, arguments, named)
                raise

        return typing.cast("F", asynchronous)

    @functools.wraps(method)
    def synchronous(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        _check_first(method, arguments, named)
        try:
            return method(*arguments, **named)
        except _RAISED as failure:
            _explain(failure, method, arguments, named)
            raise

    return typing.cast("F", synchronous)


def _check_first(method: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    if method.__name__ in _CHECKED_FIRST:
        _check(method, arguments, named)


def _check(method: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    wrong = _wrong_argument(method, arguments, named, _mismatch)
    if wrong:
        raise Error(f"{_title(method, arguments)}: {wrong}")


def _explain(
    failure: Exception, method: Callable[..., Any], arguments: tuple[Any, ...], given: dict[str, Any]
) -> None:
    """Raises an error that names the wrong argument, if one caused `failure` and is not named in it."""
    if isinstance(failure, (TimeoutError, TargetClosedError)) or _names_its_method(failure):
        return
    text = str(failure)
    named = _ARGUMENT.match(text) if isinstance(failure, (Error, BrowserError)) else None
    own = text if named and named[1] in inspect.signature(method).parameters else None
    is_range = isinstance(failure, OverflowError) or _RANGE in text
    wrong = (
        None
        if own and not _VAGUE.search(own)
        else _wrong_argument(method, arguments, given, _out_of_range if is_range else _mismatch)
    )
    if wrong or own:
        raise Error(f"{_title(method, arguments)}: {wrong or own}") from None


def _title(method: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    kind = type(arguments[0]).__name__
    return kind if method.__name__ == "__init__" else caller() or f"{kind}.{method.__name__}"


def _names_its_method(failure: Exception) -> bool:
    return isinstance(failure, Error) and re.match(r"[A-Z]\w+\.\w+: \w+[.\[:]", str(failure)) is not None


def _wrong_argument(
    method: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    is_wrong: Callable[[Any, Any, str], str | None],
) -> str | None:
    """Returns a message about the first wrong argument; `None` if all are right."""
    try:
        given = inspect.signature(method).bind(*arguments, **named).arguments
    except TypeError:
        return None
    wanted = _annotations(method)
    for name, value in given.items():
        if name in wanted:
            wrong = is_wrong(value, wanted[name], name)
            if wrong:
                return wrong
    return None


@functools.cache
def _annotations(method: Callable[..., Any]) -> dict[str, Any]:
    """Returns the types of the parameters, except types that are imported only for type checkers."""
    known = {
        **vars(typing),
        **vars(collections.abc),
        **vars(_typed),
        "Path": Path,
        "datetime": datetime,
        "re": re,
        "timedelta": timedelta,
    }
    found = {}
    for name, written in method.__annotations__.items():
        if name == "return":
            continue
        try:
            found[name] = eval(written, known, method.__globals__) if isinstance(written, str) else written  # noqa: S307
        except (NameError, TypeError, AttributeError):
            continue
    return found


def _out_of_range(value: Any, wanted: Any, where: str) -> str | None:
    if isinstance(value, collections.abc.Mapping):
        parts = ((item, wanted, f"{where}.{key}") for key, item in value.items())
        return next(filter(None, (_out_of_range(*part) for part in parts)), None)
    if isinstance(value, int) and not 0 <= value <= _LARGEST:
        return f"{where}: {_RANGE} {_LARGEST}, got {value}"
    return None


def _mismatch(value: Any, wanted: Any, where: str) -> str | None:
    """Returns why a value does not match a type; `None` if it does, or if the type is unknown."""
    origin = typing.get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _mismatch_of_union(value, typing.get_args(wanted), where)
    if origin is typing.Literal:
        choices = typing.get_args(wanted)
        expected = f"expected one of ({'|'.join(map(str, choices))})"
        return None if value in choices else f"{where}: {expected}, got {value!r}"
    if typing.is_typeddict(wanted):
        return _mismatch_of_object(value, wanted, where)
    kind = type(None) if wanted is None else origin or wanted
    if kind is Any or not isinstance(kind, type):
        return None
    if not _is(value, kind):
        return f"{where}: expected {_name(wanted)}, got {_name(type(value))}"
    return _mismatch_inside(value, typing.get_args(wanted), where)


def _mismatch_inside(value: Any, inner: tuple[Any, ...], where: str) -> str | None:
    parts: Iterable[tuple[Any, Any, str]] = ()
    if isinstance(value, dict) and len(inner) == 2:  # noqa: PLR2004  (Keys and values.)
        parts = ((item, inner[1], f"{where}.{key}") for key, item in value.items())
    elif isinstance(value, (list, tuple)) and len(inner) == 1:
        parts = ((item, inner[0], f"{where}[{at}]") for at, item in enumerate(value))
    return next(filter(None, (_mismatch(*part) for part in parts)), None)


def _mismatch_of_union(value: Any, choices: tuple[Any, ...], where: str) -> str | None:
    wrong = [_mismatch(value, choice, where) for choice in choices]
    if not all(wrong):
        return None
    literal = next((each for each in wrong if each and "expected one of" in each), None)
    if literal and isinstance(value, str):
        return literal
    # If only a part of the value is wrong, such as one key of a dict, the message names that part.
    inner = next((each for each in wrong if each and not each.startswith(f"{where}:")), None)
    names = [_name(choice) for choice in choices if choice is not type(None)]
    return inner or f"{where}: expected {' or '.join(dict.fromkeys(names))}, got {_name(type(value))}"


def _mismatch_of_object(value: Any, wanted: Any, where: str) -> str | None:
    if not isinstance(value, collections.abc.Mapping):
        return f"{where}: expected object, got {_name(type(value))}"
    fields = typing.get_type_hints(wanted)
    for name, kind in fields.items():
        if name in value:
            wrong = _mismatch(value[name], kind, f"{where}.{name}")
            if wrong:
                return wrong
        elif name in wanted.__required_keys__:
            return f"{where}.{name}: expected {_name(kind)}, got undefined"
    return None


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is Path:
        return isinstance(value, os.PathLike)
    if kind is collections.abc.Iterable:
        return isinstance(value, kind) and not isinstance(value, (str, bytes))
    if _is_list(kind):
        return isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes, dict))
    return isinstance(value, kind)


def _is_list(kind: type) -> bool:
    return issubclass(kind, collections.abc.Sequence) and not issubclass(kind, (str, bytes))


def _name(kind: Any) -> str:
    """Returns the name of a type for messages, as in Playwright's."""
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        choices = (_name(each) for each in typing.get_args(kind) if each is not type(None))
        return " or ".join(dict.fromkeys(choices))
    if origin is typing.Literal:
        return "|".join(map(str, typing.get_args(kind)))
    kind = dict if typing.is_typeddict(kind) else origin or kind
    names = (name for base, name in _NAMES.items() if isinstance(kind, type) and issubclass(kind, base))
    return next(names, getattr(kind, "__name__", str(kind)))
