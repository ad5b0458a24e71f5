"""One keep-alive HTTP connection of the traffic generator. What goes wrong is named, nothing is tried twice."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How a request can fail."""

    REFUSED = "refused"
    RESET = "reset"
    TIMEOUT = "timeout"
    SERVER_ERROR = "5xx"
    TRUNCATED = "truncated"
    CORRUPT = "corrupt"
    OTHER = "other"


@dataclass(frozen=True)
class Answer:
    """What came back: the host that served it, or why it failed."""

    host: str | None = None
    kind: Kind | None = None
    detail: str = ""


class Connection:
    """One connection to a front-end on loopback; carries one request at a time."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    @property
    def usable(self) -> bool:
        """Open, and the other end has not closed it while it was idle."""
        return self._reader is not None and self._writer is not None and not self._reader.at_eof()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def get(self, path: str, seconds_max: float) -> Answer:
        """Sends one request and reads its answer to the end."""
        try:
            answer = await asyncio.wait_for(self._exchange(path), seconds_max)
        except TimeoutError:
            answer = Answer(kind=Kind.TIMEOUT, detail=f"no complete answer within {seconds_max:.0f} s")
        except ConnectionRefusedError as problem:
            answer = Answer(kind=Kind.REFUSED, detail=str(problem))
        except OSError as problem:
            answer = Answer(kind=Kind.RESET, detail=repr(problem))
        except (ValueError, IndexError, asyncio.LimitOverrunError) as problem:
            answer = Answer(kind=Kind.OTHER, detail=f"not an HTTP answer: {problem!r}")
        if answer.kind is not None:
            self.close()
        return answer

    async def _exchange(self, path: str) -> Answer:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._reader, self._writer
        writer.write(f"GET {path} HTTP/1.1\r\nHost: lab\r\n\r\n".encode())
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except asyncio.IncompleteReadError as end:
            if end.partial:
                return Answer(kind=Kind.TRUNCATED, detail="closed within the head of the answer")
            return Answer(kind=Kind.RESET, detail="closed before an answer")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        status = head[0].split(" ")[1]
        host = headers.get("x-host")
        try:
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        except (asyncio.IncompleteReadError, ConnectionResetError) as end:
            return Answer(host, Kind.TRUNCATED, f"body of the answer ended early: {end!r}")
        if headers.get("connection", "").lower() == "close":
            self.close()
        if status.startswith("5"):
            return Answer(host, Kind.SERVER_ERROR, head[0])
        if status != "200":
            return Answer(host, Kind.OTHER, head[0])
        if hashlib.sha256(body).hexdigest() != headers.get("x-checksum"):
            return Answer(host, Kind.CORRUPT, f"{len(body)} bytes with the wrong checksum")
        return Answer(host)
