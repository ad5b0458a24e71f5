"""The job board as this program sees it, and its client over HTTP."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from drydock_api.client import ApiClient, BoardError
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.package_reading import Due, Reading
from drydock_remediation.plain_text import plain
from drydock_remediation.records import Claim, Job, Result, Step

LOG = logging.getLogger(__name__)
SECONDS_MAX = 10.0


class Board(Protocol):
    """What the operator needs of the board. Tests use an in-memory one."""

    def claimable(self, topics: Sequence[str], steps: Sequence[Step], limit: int) -> list[Job]:
        """Jobs nobody works on, oldest first; no steps: of all."""

    def claim(self, job: str, consumer: str) -> Claim | None:
        """Takes a job; None when another consumer was faster."""

    def heartbeat(self, job: str, claim: str, seconds: float) -> int:
        """Renews the lease and returns its length; waits at most so long. A BoardError that is not retryable: lost."""

    def note(self, job: str, claim: str, facts: Mapping[str, str], seconds: float) -> None:
        """Keeps facts for whoever comes after, should nobody report an end. The same may be noted again."""

    def complete(self, job: str, claim: str, result: Result) -> None:
        """Reports the end. The same claim and result may be reported again."""


class HttpBoard:
    """The board over HTTP. Thread-safe."""

    def __init__(self, url: str, token_file: Path) -> None:
        self._api = ApiClient(url, token_file, SECONDS_MAX)

    def claimable(self, topics: Sequence[str], steps: Sequence[Step], limit: int) -> list[Job]:
        return [job for record in self._api.claimable(topics, steps, limit) if (job := _read_job(record))]

    def claim(self, job: str, consumer: str) -> Claim | None:
        asked_at = boot_clock()
        answer = self._api.claim(job, consumer)
        try:
            return Claim.read(answer, asked_at) if answer else None
        except (ValueError, KeyError, TypeError) as error:
            raise BoardError(f"the answer to the claim of {job} was not understood: {error!r}") from error

    def heartbeat(self, job: str, claim: str, seconds: float) -> int:
        answer = self._api.act(job, "heartbeat", {"claim": claim}, seconds)
        if not isinstance(answer, int):
            raise BoardError(f"the answer to a heartbeat of {job} was not understood: {answer!r}")
        return answer

    def note(self, job: str, claim: str, facts: Mapping[str, str], seconds: float) -> None:
        self._api.act(job, "note", {"claim": claim, "facts": plain(dict(facts))}, seconds)

    def complete(self, job: str, claim: str, result: Result) -> None:
        self._api.act(job, "complete", {"claim": claim, "result": result.record()})

    def packages_due(self, seconds: int, limit: int) -> list[Due]:
        answer = self._api.send("GET", f"/packageReadings?q=due&seconds={seconds}&count={limit}")
        return [due for element in answer.get("elements", []) if (due := _read_due(element))]

    def report_packages(self, readings: Sequence[Reading]) -> None:
        body = {"readings": {"readings": [reading.record() for reading in readings]}}
        self._api.send("POST", "/packageReadings?action=report", body)


def _read_job(record: Mapping[str, Any]) -> Job | None:
    """A job this version does not understand is left for one that does; it must not keep the others waiting."""
    try:
        return Job.read(record)
    except (ValueError, KeyError, TypeError) as error:
        LOG.warning("left alone, not understood: %r", error, extra={"job": record.get("id")})
        return None


def _read_due(record: Mapping[str, Any]) -> Due | None:
    try:
        return Due.read(record)
    except (ValueError, KeyError, TypeError) as error:
        LOG.warning("its packages are not read, its entry was not understood: %r", error, extra={"host": record.get("host")})
        return None
