"""Proxies that want a name and a password. Every host that they are asked for is this machine."""

import asyncio
import base64
import ssl
from asyncio import IncompleteReadError, StreamReader, StreamWriter
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType

from typing_extensions import Self

NAME = "me"
PASSWORD = "sword:fish"  # noqa: S105
BY_PASSWORD = 2
A_NAME = 3


Begun = tuple[tuple[str, int], bytes]
"""Where it goes, and what is sent there first."""


class Proxy:
    """A proxy of one kind: `http`, `https` or `socks5`."""

    def __init__(self, kind: str, tls: ssl.SSLContext | None = None) -> None:
        self.kind = kind
        self.asked: list[str] = []
        """What came with the right password, such as `shop.example:443`, oldest first."""
        self._tls = tls
        self._ready = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    @property
    def server(self) -> str:
        """Its address."""
        return f"{self.kind}://127.0.0.1:{self.port}"

    async def _run(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        serving: list[asyncio.Task[None]] = []
        server = await asyncio.start_server(
            lambda reader, writer: serving.append(asyncio.create_task(self._serve(reader, writer))),
            "127.0.0.1",
            0,
            ssl=self._tls,
        )
        self.port: int = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        await asyncio.sleep(0)  # What was aborted is closed in the next round.

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        writers = [writer]
        try:
            begin = self._begin_socks if self.kind == "socks5" else self._begin_http
            begun = await begin(reader, writer)
            if begun:
                (host, port), first = begun
                self.asked.append(f"{host}:{port}")
                back, there = await asyncio.open_connection("127.0.0.1", port)
                writers.append(there)
                there.write(first)
                await asyncio.gather(_copy(reader, there), _copy(back, writer))
        except (OSError, IncompleteReadError):
            pass  # Whoever asked has hung up.
        finally:
            for open_writer in writers:
                open_writer.transport.abort()

    async def _begin_http(self, reader: StreamReader, writer: StreamWriter) -> Begun | None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        wanted = base64.b64encode(f"{NAME}:{PASSWORD}".encode()).decode()
        if f"proxy-authorization: basic {wanted}".lower() not in head.lower():
            challenge = 'Proxy-Authenticate: Basic realm="test"'
            writer.write(f"HTTP/1.1 407 No\r\n{challenge}\r\nContent-Length: 0\r\n\r\n".encode())
            return None
        line, _, rest = head.partition("\r\n")
        method, address, version = line.split(" ")
        if method == "CONNECT":
            host, _, port = address.rpartition(":")
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            return (host, int(port)), b""
        authority, _, path = address.removeprefix("http://").partition("/")
        host, _, port = authority.partition(":")
        return (host, int(port or 80)), f"{method} /{path} {version}\r\n{rest}".encode("latin-1")

    async def _begin_socks(self, reader: StreamReader, writer: StreamWriter) -> Begun | None:
        _, count = await reader.readexactly(2)
        if BY_PASSWORD not in await reader.readexactly(count):
            writer.write(b"\x05\xff")
            return None
        writer.write(bytes([5, BY_PASSWORD]))
        await reader.readexactly(1)
        result = [await self._field(reader) for _ in range(2)]
        is_good = result == [NAME.encode(), PASSWORD.encode()]
        writer.write(bytes([1, not is_good]))
        if not is_good:
            return None
        *_, kind = await reader.readexactly(4)
        # Names are looked up here, so that is what must come.
        host = (await self._field(reader)).decode() if kind == A_NAME else f"address of kind {kind}"
        port = int.from_bytes(await reader.readexactly(2), "big")
        writer.write(bytes([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        return (host, port), b""

    @staticmethod
    async def _field(reader: StreamReader) -> bytes:
        (length,) = await reader.readexactly(1)
        return await reader.readexactly(length)


class Front(Proxy):
    """Ends TLS before a server of this machine."""

    def __init__(self, tls: ssl.SSLContext, port: int) -> None:
        super().__init__("https", tls)
        self._behind = port

    async def _begin_http(self, reader: StreamReader, writer: StreamWriter) -> Begun:  # noqa: ARG002
        return ("127.0.0.1", self._behind), b""


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
