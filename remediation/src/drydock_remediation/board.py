"""The job board as this program sees it, and its client over HTTP."""

from __future__ import annotations

import http.client
import json
import logging
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from drydock_remediation.package_reading import Due, Reading
from drydock_remediation.plain_text import plain
from drydock_remediation.records import Claim, Job, Result, Step

LOG = logging.getLogger(__name__)
ANSWER_BYTES_MAX = 8 << 20
SECONDS_MAX = 10.0


def boot_clock() -> float:
    """Seconds on CLOCK_BOOTTIME: it counts suspend and no one can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class BoardError(Exception):
    """A request to the board was not answered as hoped. `retryable`: the same request may be sent again."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status

    @property
    def retryable(self) -> bool:
        return self.status is None or self.status in (408, 429) or self.status >= http.client.INTERNAL_SERVER_ERROR


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
    """Thread-safe: it holds no connection. The token is read for each request, so that it can be replaced."""

    def __init__(self, url: str, token_file: Path) -> None:
        self._url = url.rstrip("/")
        self._token_file = token_file

    def claimable(self, topics: Sequence[str], steps: Sequence[Step], limit: int) -> list[Job]:
        of = f"&steps={_list(steps)}" if steps else ""
        answer = self._send("GET", f"/jobs?q=claimable&topics={_list(topics)}{of}&count={limit}", None, SECONDS_MAX)
        return [job for element in answer.get("elements", []) if (job := _read_job(element))]

    def claim(self, job: str, consumer: str) -> Claim | None:
        asked_at = boot_clock()
        try:
            answer = self._act(job, "claim", {"consumer": consumer}, SECONDS_MAX)
        except BoardError as error:
            if error.status in (http.client.CONFLICT, http.client.NOT_FOUND):
                return None
            raise
        try:
            return Claim.read(answer, asked_at)
        except (ValueError, KeyError, TypeError) as error:
            raise BoardError(f"the answer to the claim of {job} was not understood: {error!r}") from error

    def heartbeat(self, job: str, claim: str, seconds: float) -> int:
        answer = self._act(job, "heartbeat", {"claim": claim}, seconds)
        if not isinstance(answer, int):
            raise BoardError(f"the answer to a heartbeat of {job} was not understood: {answer!r}")
        return answer

    def note(self, job: str, claim: str, facts: Mapping[str, str], seconds: float) -> None:
        self._act(job, "note", {"claim": claim, "facts": plain(dict(facts))}, seconds)

    def complete(self, job: str, claim: str, result: Result) -> None:
        self._act(job, "complete", {"claim": claim, "result": result.record()}, SECONDS_MAX)

    def packages_due(self, seconds: int, limit: int) -> list[Due]:
        answer = self._send("GET", f"/packageReadings?q=due&seconds={seconds}&count={limit}", None, SECONDS_MAX)
        return [due for element in answer.get("elements", []) if (due := _read_due(element))]

    def report_packages(self, readings: Sequence[Reading]) -> None:
        body = {"readings": {"readings": [reading.record() for reading in readings]}}
        self._send("POST", "/packageReadings?action=report", body, SECONDS_MAX)

    def _act(self, job: str, action: str, body: Mapping[str, Any], seconds: float) -> Any:
        path = f"/jobs/{urllib.parse.quote(job, safe='')}?action={action}"
        return self._send("POST", path, body, seconds).get("value")

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float) -> dict[str, Any]:
        what = f"{method} {self._url}/api{path}"
        try:
            headers = {
                "Authorization": f"Bearer {self._token_file.read_text().strip()}",
                "X-RestLi-Protocol-Version": "2.0.0",
                "Content-Type": "application/json",
                "Accept": "application/json",
            }
            data = None if body is None else json.dumps(body).encode()
            # The URL is this program's own setting.
            request = urllib.request.Request(f"{self._url}/api{path}", data, headers, method=method)  # noqa: S310
            with urllib.request.urlopen(request, timeout=max(0.1, seconds)) as answer:  # noqa: S310
                text = answer.read(ANSWER_BYTES_MAX)
            return dict(json.loads(text)) if text else {}
        except urllib.error.HTTPError as error:
            raise BoardError(f"{what}: {error.code} {_said(error)}", error.code) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise BoardError(f"{what}: {error}") from error


def _list(words: Sequence[str]) -> str:
    return f"List({','.join(urllib.parse.quote(word, safe='') for word in words)})"


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


def _said(error: urllib.error.HTTPError) -> str:
    """The server's own sentence, when there is one."""
    try:
        return str(json.loads(error.read(64 << 10)).get("message", error.reason))
    except (OSError, ValueError, AttributeError, http.client.HTTPException):
        return str(error.reason)
