"""Asks one instance, over and over, whether it is ready. One keep-alive connection per instance keeps this cheap."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SECONDS_MAX = 1.0


@dataclass(frozen=True)
class Target:
    """One instance of the allocation list."""

    id: str
    application: str
    address: str
    port: int
    path: str


class Probe:
    """An instance is available if and only if its last probe was answered 200 and `ready`.

    A refused or broken connection counts at once, silence after one second. Where traffic is sent plays no part: an
    instance out of rotation that answers is available.
    """

    def __init__(self, target: Target, saw: Callable[[float, str, bool], None]) -> None:
        self.target = target
        self.probes = 0
        self.failures = 0
        self.slowest_millis = 0.0
        self._saw = saw
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def run(self, interval_seconds: float, first_after_seconds: float) -> None:
        """Endless; a probe that took longer than the interval is followed by the next one at once."""
        await asyncio.sleep(first_after_seconds)
        due = time.monotonic()
        while True:
            began = time.monotonic()
            available = await self._ask()
            self.probes += 1
            self.failures += not available
            if available:
                self.slowest_millis = max(self.slowest_millis, (time.monotonic() - began) * 1000)
            self._saw(time.time(), self.target.id, available)
            due = max(due + interval_seconds, time.monotonic())
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _ask(self) -> bool:
        reused = self._streams is not None
        try:
            return await asyncio.wait_for(self._exchange(), SECONDS_MAX)
        except TimeoutError:
            self._close()
            return False
        except (OSError, EOFError, ValueError, LookupError, asyncio.LimitOverrunError):
            self._close()
            # A connection that broke while idle says nothing about now: the instance may have been restarted. Look again.
            return await self._ask() if reused else False

    async def _exchange(self) -> bool:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.target.address, self.target.port)
        reader, writer = self._streams
        writer.write(f"GET {self.target.path} HTTP/1.1\r\nHost: {self.target.id}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        headers: dict[str, str] = {name: value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        body: Any = json.loads(await reader.readexactly(int(headers["content-length"])))
        if headers.get("connection") == "close":
            self._close()
        return head[0].split(" ")[1] == "200" and body.get("ready") is True

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
