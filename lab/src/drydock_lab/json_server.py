"""A small HTTP server for JSON on the event loop: just what the control interface and the BMCs need."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from drydock_lab.errors import LabError

BODY_BYTES_MAX = 64 * 1024
REQUEST_SECONDS_MAX = 10.0


@dataclass(frozen=True)
class Request:
    """Header names are in lower case; a body that is not there is an empty object."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    status: int
    document: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[str, str, dict[str, Any]], Awaitable[Any]]
Answering = Callable[[Request], Awaitable[Answer]]


class Refused(LabError):
    """An answer other than 200: status and one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Hangup(Exception):
    """The connection ends without an answer."""


async def serve(port: int, handler: Handler) -> asyncio.Server:
    """Listens on loopback. The handler gets method, path and body and returns the document of the answer."""

    async def answer(request: Request) -> Answer:
        try:
            return Answer(200, await handler(request.method, request.path, dict(request.body)))
        except Refused as refusal:
            return Answer(refusal.status, {"message": str(refusal)})
        except LabError as problem:
            return Answer(500, {"message": str(problem)})

    return await asyncio.start_server(connections(answer), "127.0.0.1", port)


def connections(answering: Answering) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """What serves a connection: one request, one answer."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(_encoded(await _answer(reader, answering)))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, Hangup):
            pass  # the client left before its answer, or is to get none
        finally:
            writer.close()

    return connection


def _encoded(answer: Answer) -> bytes:
    body = b"" if answer.document is None else json.dumps(answer.document).encode()
    named = {"Content-Type": "application/json", **answer.headers, "Content-Length": str(len(body)), "Connection": "close"}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {answer.status} Answer\r\n{head}\r\n".encode() + body


async def _answer(reader: asyncio.StreamReader, answering: Answering) -> Answer:
    try:
        request = await asyncio.wait_for(_request(reader), REQUEST_SECONDS_MAX)
    except Refused as refusal:
        return Answer(refusal.status, {"message": str(refusal)})
    except TimeoutError:
        return Answer(408, {"message": "the request did not arrive in time"})
    return await answering(request)


async def _request(reader: asyncio.StreamReader) -> Request:
    head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    words = head.split()
    if len(words) != 3:
        raise Refused(400, "not an HTTP request")
    headers = {name.strip().lower(): value.strip() for name, colon, value in (line.partition(":") for line in lines) if colon}
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > BODY_BYTES_MAX:
        raise Refused(413, "the body is too large")
    raw = await reader.readexactly(int(length))
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise Refused(400, "the body must be a JSON object")
    return Request(words[0], words[1], headers, body)
