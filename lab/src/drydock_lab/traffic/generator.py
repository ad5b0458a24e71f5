"""Sends the planned requests over keep-alive connections until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from drydock_lab import files
from drydock_lab.traffic.connection import Connection
from drydock_lab.traffic.schedule import Planned
from drydock_lab.traffic.tally import Tally

PATIENCE_SECONDS = 10.0
OPEN_MAX = 500
REPORT_SECONDS = 1.0


class Generator:
    """Requests leave at their planned times whether or not earlier ones were answered, as users would send them."""

    def __init__(self, ports: dict[str, int], plan: Iterator[Planned], output: Path, about: dict[str, object]) -> None:
        self.ports = ports
        self.plan = plan
        self.output = output
        self.about = {**about, "startedAt": time.time()}
        self.tally = Tally(list(ports))
        self.idle: dict[str, list[Connection]] = {name: [] for name in ports}
        self.open: set[asyncio.Task[None]] = set()
        self.not_sent = 0

    async def run(self, seconds: float | None) -> None:
        """Until TERM, interrupt or the given time; then open requests are finished and the report is final."""
        stop = asyncio.Event()
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, stop.set)
        if seconds is not None:
            asyncio.get_running_loop().call_later(seconds, stop.set)
        self._report(finished=False)
        reporting = asyncio.create_task(self._keep_reporting())
        await self._send_until(stop)
        if self.open:
            await asyncio.wait(set(self.open))
        reporting.cancel()
        self._report(finished=True)
        for connections in self.idle.values():
            for connection in connections:
                connection.close()

    async def _send_until(self, stop: asyncio.Event) -> None:
        due = time.monotonic()
        for planned in self.plan:
            due += planned.gap_seconds
            try:
                await asyncio.wait_for(stop.wait(), max(0.0, due - time.monotonic()))
                return
            except TimeoutError:
                pass  # it is time for the next request
            if len(self.open) >= OPEN_MAX:
                self.not_sent += 1
                continue
            task = asyncio.create_task(self._send(planned))
            self.open.add(task)
            task.add_done_callback(self.open.discard)

    async def _send(self, planned: Planned) -> None:
        connection = self._connection(planned.application)
        at, began = time.time(), time.monotonic()
        answer = await connection.get(f"/?ms={planned.millis}", planned.millis / 1000 + PATIENCE_SECONDS)
        took = (time.monotonic() - began) * 1000
        self.tally.add(at, planned.application, answer, asked_millis=planned.millis, took_millis=took, slow=planned.slow)
        if connection.usable:
            self.idle[planned.application].append(connection)

    def _connection(self, application: str) -> Connection:
        """The connection idle for longest, so that many stay in use; else a new one."""
        idle = self.idle[application]
        while idle:
            connection = idle.pop(0)
            if connection.usable:
                return connection
            connection.close()
        return Connection(self.ports[application])

    async def _keep_reporting(self) -> None:
        while True:
            await asyncio.sleep(REPORT_SECONDS)
            self._report(finished=False)

    def _report(self, *, finished: bool) -> None:
        state = {"updatedAt": time.time(), "finished": finished, "open": len(self.open), "notSent": self.not_sent}
        files.write_json(self.output, {**self.about, **state, **self.tally.to_json()})
