"""Notices when nothing ran: on a machine that stood still nobody can be blamed for the time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from drydock_soak.nemesis import STOOD_STILL, Done

BEAT_SECONDS = 0.1
LATE_SECONDS = 1.0


class StallDetector:
    """A thread that is late by more than a second writes down for how long."""

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self.missed: list[Done] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def finish(self) -> list[Done]:
        """Every time that was missed."""
        self._over.set()
        self._thread.join()
        return self.missed

    def _beat(self) -> None:
        last = self._clock()
        while not self._over.wait(BEAT_SECONDS):
            now = self._clock()
            if now - last > LATE_SECONDS * 1e9:
                self.missed.append(Done(STOOD_STILL, "machine", last, now))
            last = now
