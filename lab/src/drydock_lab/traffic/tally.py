"""Counting: every finished request is counted once, as good or as failed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from drydock_lab.traffic.connection import Answer

FAILURES_KEPT = 50


class Series:
    """Requests of one application, or of all."""

    def __init__(self) -> None:
        self.requests = 0
        self.kinds: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        # Whole milliseconds → requests: exact enough for percentiles and bounded by the longest time-out.
        self._millis: Counter[int] = Counter()

    @property
    def failed(self) -> int:
        return self.kinds.total()

    def add(self, answer: Answer, extra_millis: float) -> None:
        self.requests += 1
        if answer.kind is not None:
            self.kinds[answer.kind.value] += 1
            return
        self.hosts[answer.host or "unknown"] += 1
        self._millis[max(0, round(extra_millis))] += 1

    def percentile(self, share: float) -> int | None:
        """The smallest number of milliseconds that at least this share of the good answers did not exceed."""
        left = share * self._millis.total()
        for millis in sorted(self._millis):
            left -= self._millis[millis]
            if left <= 0:
                return millis
        return None

    def to_json(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            "failed": self.failed,
            "byKind": dict(sorted(self.kinds.items())),
            "byHost": dict(sorted(self.hosts.items())),
            "p50Millis": self.percentile(0.50),
            "p99Millis": self.percentile(0.99),
        }


class Tally:
    """All series of one run and the first failures in full."""

    def __init__(self, applications: list[str]) -> None:
        self.total = Series()
        self.applications = {name: Series() for name in applications}
        self.slow = 0
        self.failures: list[dict[str, Any]] = []

    def add(self, at: float, application: str, answer: Answer, *, asked_millis: int, took_millis: float, slow: bool) -> None:
        self.slow += slow
        for series in (self.total, self.applications[application]):
            series.add(answer, took_millis - asked_millis)
        if answer.kind is not None and len(self.failures) < FAILURES_KEPT:
            failure = {"at": at, "application": application, "host": answer.host, "kind": answer.kind.value, "detail": answer.detail}
            self.failures.append({**failure, "askedMillis": asked_millis, "tookMillis": round(took_millis)})

    def to_json(self) -> dict[str, Any]:
        """`p50Millis` and `p99Millis` are what an answer took beyond the delay that was asked for."""
        total = self.total.to_json()
        del total["byHost"]
        applications = {name: series.to_json() for name, series in self.applications.items()}
        return {**total, "slow": self.slow, "byApplication": applications, "failures": self.failures}
