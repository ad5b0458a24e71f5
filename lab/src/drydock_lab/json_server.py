"""A small HTTP server for JSON on the event loop: just what the control interface needs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from drydock_lab.errors import LabError

BODY_BYTES_MAX = 64 * 1024
REQUEST_SECONDS_MAX = 10.0

Handler = Callable[[str, str, dict[str, Any]], Awaitable[Any]]


class Refused(LabError):
    """An answer other than 200: status and one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def serve(port: int, handler: Handler) -> asyncio.Server:
    """Listens on loopback. The handler gets method, path and body and returns the document of the answer."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            status, document = await _answer(reader, handler)
            body = json.dumps(document).encode()
            head = f"HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left before its answer
        finally:
            writer.close()

    return await asyncio.start_server(connection, "127.0.0.1", port)


async def _answer(reader: asyncio.StreamReader, handler: Handler) -> tuple[int, Any]:
    try:
        method, path, body = await asyncio.wait_for(_request(reader), REQUEST_SECONDS_MAX)
        return 200, await handler(method, path, body)
    except Refused as refusal:
        return refusal.status, {"message": str(refusal)}
    except TimeoutError:
        return 408, {"message": "the request did not arrive in time"}
    except LabError as problem:
        return 500, {"message": str(problem)}


async def _request(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, Any]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    words = head.split("\r\n", 1)[0].split()
    if len(words) != 3:
        raise Refused(400, "not an HTTP request")
    length = 0
    for line in head.split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.lower() == "content-length" and value.strip().isdecimal():
            length = int(value)
    if length > BODY_BYTES_MAX:
        raise Refused(413, "the body is too large")
    raw = await reader.readexactly(length)
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise Refused(400, "the body must be a JSON object")
    return words[0], words[1], body
