"""Switches hosts off and on again, by whoever controls their power."""

from __future__ import annotations

import http.client
import json
import logging
import threading
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, Protocol

from drydock_remediation.board import Board
from drydock_remediation.diagnosis import BOOT
from drydock_remediation.jobset import Work, complete
from drydock_remediation.records import Claim, Outcome, Result

LOG = logging.getLogger(__name__)
SECONDS_MAX = 120.0


class PowerError(Exception):
    """Whoever controls the power said no, or did not answer. `sent` tells whether the host may have been touched."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


@dataclass(frozen=True)
class PowerState:
    """`boot_id` is empty where the controller cannot tell."""

    on: bool
    boot_id: str


class Power(Protocol):
    def state(self, host: str) -> PowerState: ...

    def cycle(self, host: str) -> None:
        """Off without asking the system, and on again; returns once it starts."""


class LabPower:
    """The control interface of the lab. It cannot compare tokens: who asks reads the state first."""

    def __init__(self, url: str) -> None:
        self._url = url

    def state(self, host: str) -> PowerState:
        found = self._send("GET", host, None)
        return PowerState(found.get("power") == "on", str(found.get("bootId") or ""))

    def cycle(self, host: str) -> None:
        self._send("POST", f"{host}/power", {"action": "reset"})

    def _send(self, method: str, path: str, body: dict[str, str] | None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        url = f"{self._url}/hosts/{urllib.parse.quote(path)}"
        try:
            # The URL is this program's own setting.
            request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310
            with urllib.request.urlopen(request, timeout=SECONDS_MAX) as answer:  # noqa: S310
                return dict(json.loads(answer.read(1 << 20)))
        except urllib.error.HTTPError as error:
            raise PowerError(f"{method} {url}: {error.code} {error.read(500).decode(errors='replace')}", sent=error.code >= 500) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise PowerError(f"{method} {url}: {error}", sent=body is not None) from error


def power_cycle(power: Power, claim: Claim) -> Result:
    """One power-cycle. A later attempt looks first: a host that runs another boot than the one that was diagnosed was
    started anew already, one that is off is to be switched on; where nobody can tell, it does nothing a second time."""
    host, before = claim.job.host, claim.job.facts.get(BOOT, "")
    try:
        if claim.attempt > 1:
            now = power.state(host)
            if now.on and not (before and now.boot_id):
                return Result(Outcome.UNKNOWN, f"{host} may have been switched off and on by an earlier attempt")
            if now.on and now.boot_id != before:
                return Result(Outcome.DONE, f"{host} was switched off and on by an earlier attempt")
        power.cycle(host)
    except PowerError as error:
        return Result(Outcome.UNKNOWN if error.sent else Outcome.FAILED, f"{host} was not switched off and on: {error}")
    return Result(Outcome.DONE, f"{host} was switched off and on")


class PowerCycles(threading.Thread):
    """Carries power-cycles to their results, one after the other: each may take down what the next one shares."""

    def __init__(self, board: Board, power: Power, work: list[Work], stopping: threading.Event) -> None:
        super().__init__(name="PowerCycle of " + ", ".join(one.claim.job.host for one in work))
        self._board = board
        self._power = power
        self._work = work
        self._stopping = stopping

    def run(self) -> None:
        for one in self._work:
            if self._stopping.is_set() or not one.lease.valid():
                one.lease.stop()
                continue
            complete(self._board, one, power_cycle(self._power, one.claim), self._stopping)
