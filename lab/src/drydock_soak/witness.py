"""Watches everything etcd commits, from the first revision on, and when it became known."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from drydock_lab.waiting import wait_until
from drydock_soak.cluster import Cluster
from drydock_soak.gateway import Unreachable, encoded, prefix_end

SILENCE_SECONDS = 3.0
CATCH_UP_SECONDS = 60.0


@dataclass(frozen=True)
class Seen:
    """One event of etcd's watch, and when it came (nanoseconds of the machine's monotonic clock)."""

    at: int
    event: dict[str, Any]

    @property
    def revision(self) -> int:
        return int(self.event["kv"]["mod_revision"])


class Witness:
    """Follows one member after the other by a thread of its own; what it missed meanwhile is read later, so nothing is lost."""

    def __init__(self, cluster: Cluster, root: str) -> None:
        self.seen: list[Seen] = []
        self._cluster, self._root = cluster, root
        self._next = 1
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def finish(self) -> list[Seen]:
        """Everything up to now."""
        body = {"key": encoded(f"{self._root}end"), "value": encoded("end")}
        last = int(self._cluster.ask("/v3/kv/put", body)["header"]["revision"])
        wait_until(lambda: self._next > last, CATCH_UP_SECONDS, f"the witness to read up to revision {last}")
        self._over.set()
        return self.seen

    def _follow(self) -> None:
        while not self._over.is_set():
            for member in self._cluster.members:
                watch = {"key": encoded(self._root), "range_end": encoded(prefix_end(self._root)), "start_revision": self._next}
                try:
                    # A member that is silent may have been cut off.
                    for answer in member.gateway.stream("/v3/watch", {"create_request": watch}, SILENCE_SECONDS):
                        self._take(answer["result"])
                        if self._over.is_set():
                            return
                except Unreachable:
                    continue

    def _take(self, result: dict[str, Any]) -> None:
        now = time.monotonic_ns()
        events = [Seen(now, event) for event in result.get("events", [])]
        self.seen += events
        if events:
            self._next = events[-1].revision + 1
