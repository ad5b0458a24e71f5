"""Reads, beside all jobs, what is installed on hosts in nobody's hands: the server tells from it whose packages somebody else changed."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from drydock_api.client import BoardError
from drydock_remediation.metrics import READINGS
from drydock_remediation.package_reading import Due, Reading, unreadable

LOG = logging.getLogger(__name__)
TICK_SECONDS = 1.0  # what is read within one is reported together
AHEAD = 4  # so many times as many hosts as are read at once are asked for
LOOKS_PER_PERIOD = 6
PAUSE_SECONDS_MAX = 30.0


class ReadingBoard(Protocol):
    """What the watch needs of the server."""

    def packages_due(self, seconds: int, limit: int) -> list[Due]:
        """Hosts that were not read for so long, the one that was read longest ago first."""

    def report_packages(self, readings: Sequence[Reading]) -> None:
        """The same may be reported again. What is not reported is due again."""


class PackageWatch:
    """Each host is read in a thread of its own that ends within the time-out of a reading; only so many at once. A host that cannot be
    read is told and left out, and holds up no other.

    `seconds`: how old a reading may become. `read`: reads one host.
    """

    def __init__(self, board: ReadingBoard, read: Callable[[Due], Reading], seconds: int, at_once: int, stopping: threading.Event) -> None:
        self._board = board
        self._read = read
        self._seconds = seconds
        self._at_once = at_once
        self._stopping = stopping
        self._backlog: deque[Due] = deque()
        self._busy: set[str] = set()  # hosts that are read, or were read and not reported yet
        self._running = 0
        self._done: queue.SimpleQueue[Reading] = queue.SimpleQueue()
        self._ask_at = 0.0
        self._odd: set[str] = set()

    def run(self) -> None:
        """Until told to stop; readings under way are left alone, as they change nothing."""
        failures = 0
        while not self._stopping.is_set():
            try:
                self.tick()
                failures = 0
            except BoardError as error:
                failures += 1
                if failures == 1:
                    LOG.warning("the packages of hosts are not watched for now: %s", error)
                self._stopping.wait(min(PAUSE_SECONDS_MAX, 2.0**failures))
            except Exception:  # the last frame of this thread: an answer that nobody understands does not end the watch
                LOG.exception("a look at the packages of hosts failed, and is repeated")
                self._stopping.wait(PAUSE_SECONDS_MAX)

    def tick(self) -> None:
        """Begins what there is room for, and reports what ends within a tick. A BoardError: what was read is lost, and due again."""
        if not self._backlog and time.monotonic() >= self._ask_at:
            self._ask()
        self._report(self._finished(time.monotonic() + TICK_SECONDS))

    def _ask(self) -> None:
        limit = AHEAD * self._at_once + len(self._busy)
        found = self._board.packages_due(self._seconds, limit)
        self._backlog.extend(due for due in found if due.host not in self._busy)
        more = len(found) == limit and self._backlog
        self._ask_at = time.monotonic() + (0 if more else max(TICK_SECONDS, self._seconds / LOOKS_PER_PERIOD))

    def _finished(self, until: float) -> list[Reading]:
        found: list[Reading] = []
        while not self._stopping.is_set():
            self._begin()
            left = until - time.monotonic()
            if left <= 0 or (found and not self._running):
                break
            if not self._running:
                self._stopping.wait(left)
                continue
            try:
                found.append(self._done.get(timeout=left))
                self._running -= 1
            except queue.Empty:
                break
        return found

    def _begin(self) -> None:
        while self._backlog and self._running < self._at_once:
            due = self._backlog.popleft()
            self._busy.add(due.host)
            self._running += 1
            threading.Thread(target=self._one, args=(due,), name=f"packages of {due.host}", daemon=True).start()

    def _one(self, due: Due) -> None:
        reading = unreadable(due, "it was not read: the operator failed over it")
        try:
            reading = self._read(due)
        finally:
            self._done.put(reading)

    def _report(self, readings: list[Reading]) -> None:
        self._busy.difference_update(reading.due.host for reading in readings)
        for reading in readings:
            READINGS.labels("unreadable" if reading.fault else "read").inc()
            self._tell(reading)
        if readings:
            self._board.report_packages(readings)

    def _tell(self, reading: Reading) -> None:
        """Once, and not each time."""
        host = reading.due.host
        if not reading.fault:
            self._odd.discard(host)
        elif host not in self._odd:
            self._odd.add(host)
            LOG.warning("its packages cannot be read: %s", reading.fault, extra={"host": host})
