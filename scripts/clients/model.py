"""A scripted model behind the APIs of OpenAI, Anthropic and Google.

It answers each request with the next tool call of a script, and checks what the client sends back: a message
that the real API would refuse counts as a fault. The number of tool results in a request is the position in
the script, so a client may repeat a request.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Protocol

Message = dict[str, Any]
MODEL = "scripted"
END = "The task is done."
PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class Step:
    """A call that the model makes."""

    tool: str
    arguments: Message
    namespace: str | None = None
    """The namespace in which a client of OpenAI's Responses API offers the tool."""


@dataclass
class Result:
    """A tool's result, as the client passed it to the model."""

    text: str = ""
    pictures: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, other: Result) -> None:
        """Joins another part of the same message."""
        self.text += other.text
        self.pictures += other.pictures
        self.faults += other.faults


@dataclass
class Request:
    """What the model is asked: the tools that it can call, and the results of its calls so far."""

    tools: dict[str, str]
    """The offered names, by the name that the server gave them."""
    results: list[Result]
    namespaces: dict[str, str] = field(default_factory=dict)
    """The namespaces of offered names."""


def picture(media_type: str, data: str) -> Result:
    """Checks a picture in base64."""
    if media_type not in PICTURES:
        return Result(faults=[f"a picture of the type {media_type}"])
    try:
        known = base64.b64decode(data.replace("-", "+").replace("_", "/"), validate=True)[:4] in (
            b"\x89PNG",
            b"\xff\xd8\xff\xe0",
            b"RIFF",
            b"GIF8",
        )
    except binascii.Error:
        known = False
    return Result(pictures=1) if known else Result(faults=["a picture that cannot be decoded"])


def picture_url(url: str) -> Result:
    """Checks a picture in a `data:` or `https:` URL."""
    if url.startswith("https://"):
        return Result(pictures=1)
    found = re.fullmatch(r"data:([a-z/]+);base64,(.*)", url, re.DOTALL)
    return picture(found[1], found[2]) if found else Result(faults=[f"a picture at {url[:40]}"])


def parts(content: str | list[Message] | None, read: Callable[[Message], Result]) -> Result:
    """Reads content that is a string or a list of parts."""
    result = Result()
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or []:
        result.add(Result(part["text"]) if part.get("type") == "text" else read(part))
    return result


def chat(request: Message) -> Request:
    """Reads a request to OpenAI's `/chat/completions`."""
    results: list[Result] = []

    def tool_part(part: Message) -> Result:
        return Result(faults=[f"the role tool takes text only, not {part.get('type')}"])

    def user_part(part: Message) -> Result:
        if part.get("type") == "image_url":
            return picture_url(part["image_url"]["url"])
        return Result(faults=[f"the role user does not take {part.get('type')}"])

    for message in request["messages"]:
        if message["role"] == "tool":
            results.append(parts(message["content"], tool_part))
        elif message["role"] == "user" and results:
            # Clients pass the pictures of a result in a message of the user.
            results[-1].add(parts(message["content"], user_part))
    return Request(names(tool["function"]["name"] for tool in request.get("tools", [])), results)


def responses(request: Message) -> Request:
    """Reads a request to OpenAI's `/responses`."""
    results: list[Result] = []

    def part(part: Message) -> Result:
        match part.get("type"):
            case "input_text" | "output_text":
                return Result(part["text"])
            case "input_image":
                return picture_url(part.get("image_url") or "")
            case kind:
                return Result(faults=[f"a function's output does not take {kind}"])

    for item in request["input"] if isinstance(request["input"], list) else []:
        if item.get("type") == "function_call_output":
            results.append(parts(item["output"], part))
        elif item.get("role") == "user" and results:
            results[-1].add(parts(item["content"], part))
    offered = request.get("tools", [])
    spaces = {one["name"]: tool["name"] for tool in offered for one in tool.get("tools", [])}
    alone = [tool["name"] for tool in offered if tool["type"] == "function"]
    return Request(names([*alone, *spaces]), results, spaces)


def messages(request: Message) -> Request:
    """Reads a request to Anthropic's `/messages`."""
    results: list[Result] = []

    def part(part: Message) -> Result:
        match part.get("type"):
            case "image" if part["source"]["type"] == "base64":
                return picture(part["source"]["media_type"], part["source"]["data"])
            case "image":
                return picture_url(part["source"].get("url", ""))
            case "tool_reference":
                return Result()
            case kind:
                return Result(faults=[f"a tool result does not take {kind}"])

    for message in request["messages"]:
        content = message["content"] if isinstance(message["content"], list) else []
        results += [parts(one.get("content", ""), part) for one in content if one["type"] == "tool_result"]
    return Request(names(tool["name"] for tool in request.get("tools", [])), results)


def generate(request: Message) -> Request:
    """Reads a request to Google's `:generateContent`."""
    results: list[Result] = []

    def data(part: Message) -> Result:
        inline, file = part.get("inlineData"), part.get("fileData")
        if inline:
            return picture(inline["mimeType"], inline["data"])
        if file and not file["fileUri"].startswith(("https:", "gs:")):
            return Result(faults=[f"a file at {file['fileUri'][:40]}"])
        return Result()

    for content in in_camel_case(request["contents"]):
        answers = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        for answer in answers:
            results.append(Result(json.dumps(answer.get("response"), ensure_ascii=False)))
            for part in answer.get("parts", []):
                results[-1].add(data(part))
        # Pictures may stand beside the answer, in any order.
        for part in content["parts"] if answers else []:
            results[-1].add(data(part))
    offered = [one for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])]
    return Request(names(tool["name"] for tool in offered), results)


def in_camel_case(value: Any) -> Any:  # noqa: ANN401  (Any JSON.)
    """Returns a JSON value with all names in camel case; Google's API takes both spellings."""
    if isinstance(value, list):
        return [in_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"_([a-z])", lambda found: found[1].upper(), name): in_camel_case(one)
        for name, one in value.items()
    }


def names(offered: Iterable[str]) -> dict[str, str]:
    """The offered tools by the names that the server gave them, without the prefixes of clients."""
    found = {}
    # Behind the prefix of a server named browser, the tool `click` has the name that `browser_click` has
    # without one.
    for name in sorted(offered, key=len):
        bare = re.fullmatch(r"(?:.*[_-])?(browser_[a-z_]+)", name)
        found[bare[1] if bare else name] = name
    return found


@dataclass
class Conversation:
    """What a client asked and passed on."""

    tools: set[str] = field(default_factory=set)
    results: list[Result] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    finished: bool = False


class Model:
    """The server. `conversation` is what was said since the last `begin`."""

    def __init__(self) -> None:
        self.url = ""
        self.conversation = Conversation()
        self._script: list[Step] = []
        self._lock = Lock()

    def begin(self, script: list[Step]) -> Conversation:
        """Plays this script to the next client."""
        self._script, self.conversation = script, Conversation()
        return self.conversation

    def decide(self, request: Request) -> Step | None:
        """Returns the next call; `None` at the end."""
        conversation = self.conversation
        with self._lock:
            conversation.tools |= set(request.tools)
            conversation.faults += [
                f"a tool named {name}" for name in request.tools.values() if not NAME.fullmatch(name)
            ]
            if len(request.results) >= len(conversation.results):
                conversation.results = request.results
        if not request.tools:
            return None  # Some clients ask for a title of the conversation first.
        at = len(request.results)
        if at >= len(self._script):
            conversation.finished = True
            return None
        step = self._script[at]
        name = request.tools.get(step.tool)
        if name is None:
            conversation.faults.append(f"{step.tool} is not offered")
            return None
        return Step(name, step.arguments, request.namespaces.get(name))


@contextmanager
def serve() -> Iterator[Model]:
    """Serves the model on loopback."""
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            try:
                kind, text = self._answer(json.loads(body or b"{}"))
            except (KeyError, TypeError, AttributeError, IndexError) as error:
                model.conversation.faults.append(f"{self.path}: {type(error).__name__}: {error}")
                self._send(400, "application/json", json.dumps({"error": {"message": str(error)}}))
                return
            self._send(200, kind, text)

        def do_GET(self) -> None:
            models = [{"id": MODEL, "object": "model"}]
            self._send(200, "application/json", json.dumps({"object": "list", "data": models}))

        def _answer(self, request: Message) -> tuple[str, str]:
            path = self.path.partition("?")[0]
            read, write = next((pair for end, pair in APIS.items() if path.endswith(end)), (None, None))
            if read is None or write is None:
                return "application/json", json.dumps({"input_tokens": 1, "totalTokens": 1})
            streams = bool(request.get("stream")) or "stream" in path
            asked = read(request)
            return write(model.decide(asked), len(asked.results), streams=streams)

        def _send(self, status: int, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Logs nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        model.url = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield model
        finally:
            server.shutdown()


def events(*sent: Message, named: bool = True, end: str = "") -> tuple[str, str]:
    """Server-sent events."""
    lines = [f"event: {one['type']}\n" if named else "" for one in sent]
    text = "".join(f"{line}data: {json.dumps(one)}\n\n" for line, one in zip(lines, sent, strict=True))
    return "text/event-stream", text + end


def plain(answer: Message) -> tuple[str, str]:
    """One JSON object."""
    return "application/json", json.dumps(answer)


def chat_answer(step: Step | None, at: int, *, streams: bool) -> tuple[str, str]:
    """Answers as `/chat/completions` does."""
    function = {"name": step.tool, "arguments": json.dumps(step.arguments)} if step else {}
    calls = [{"index": 0, "id": f"call_{at}", "type": "function", "function": function}] if step else None
    said = {"role": "assistant", "content": None if step else END, **({"tool_calls": calls} if calls else {})}
    reason = "tool_calls" if step else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    base = {"id": f"chat_{at}", "created": 1, "model": MODEL}
    if not streams:
        choice = {"index": 0, "message": said, "finish_reason": reason}
        return plain({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
    chunk = {**base, "object": "chat.completion.chunk"}
    first = {**chunk, "choices": [{"index": 0, "delta": said, "finish_reason": None}]}
    last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
    return events(first, last, named=False, end="data: [DONE]\n\n")


def responses_answer(step: Step | None, at: int, *, streams: bool) -> tuple[str, str]:
    """Answers as `/responses` does."""
    if step:
        call = {"id": f"fc_{at}", "call_id": f"call_{at}", "name": step.tool, "status": "completed"}
        space = {"namespace": step.namespace} if step.namespace else {}
        item: Message = {"type": "function_call", **call, **space, "arguments": json.dumps(step.arguments)}
    else:
        text = {"type": "output_text", "text": END, "annotations": []}
        item = {
            "type": "message",
            "id": f"msg_{at}",
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    answer = {
        "id": f"resp_{at}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": MODEL,
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details},
    }
    if not streams:
        return plain(answer)
    return events(
        {"type": "response.created", "sequence_number": 0, "response": {**answer, "output": []}},
        {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item},
        {"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item},
        {"type": "response.completed", "sequence_number": 3, "response": answer},
    )


def messages_answer(step: Step | None, at: int, *, streams: bool) -> tuple[str, str]:
    """Answers as `/messages` does."""
    block: Message = {"type": "text", "text": END}
    if step:
        block = {"type": "tool_use", "id": f"toolu_{at}", "name": step.tool, "input": step.arguments}
    reason = "tool_use" if step else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    answer = {
        "id": f"msg_{at}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }
    if not streams:
        return plain(answer)
    begun = (
        {"type": "tool_use", "id": f"toolu_{at}", "name": step.tool, "input": {}}
        if step
        else {**block, "text": ""}
    )
    delta = {"type": "text_delta", "text": END}
    if step:
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    return events(
        {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    )


def generate_answer(step: Step | None, _: int, *, streams: bool) -> tuple[str, str]:
    """Answers as `:generateContent` does."""
    part = {"functionCall": {"name": step.tool, "args": step.arguments}} if step else {"text": END}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    answer = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL, "responseId": "r"}
    return events(answer, named=False) if streams else plain(answer)


Reader = Callable[[Message], Request]


class Writer(Protocol):
    """Writes an answer: its content type and body."""

    def __call__(self, step: Step | None, at: int, /, *, streams: bool) -> tuple[str, str]:
        """Returns both."""
        ...


APIS: dict[str, tuple[Reader, Writer]] = {
    "/chat/completions": (chat, chat_answer),
    "/responses": (responses, responses_answer),
    "/messages": (messages, messages_answer),
    "enerateContent": (generate, generate_answer),
}
