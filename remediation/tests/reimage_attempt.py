"""One attempt at a re-image in memory, which a test may end at any effect."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from drydock_remediation import crash
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.lease import Lease
from drydock_remediation.records import Claim, Result
from drydock_remediation.reimage.decide import Do
from drydock_remediation.reimage.run import Reimaging

from .fakes import FakeBoard
from .reimage_world import ORDERED, PATIENCE, SimulatedBmc, SimulatedHost, SimulatedMachine, reimage_job

STRAIGHT = [Do.KEEP, Do.INSERT, Do.SHUT_DOWN, Do.BOOT_ONCE, Do.POWER_ON, Do.EJECT]


class Died(BaseException):
    """What kill -9 is to this program: nothing after it runs."""


class Attempt:
    """One attempt at the job, which a test may end at any effect."""

    def __init__(self, world: SimulatedMachine, attempt: int = 1, **job: Any) -> None:
        job["facts"] = {**job.get("facts", {}), **world.facts}
        claim = Claim(reimage_job(**job), "claim", attempt, f"1.17.3.{attempt}", 60, boot_clock())
        self.world, self.board = world, FakeBoard()
        self.board.notes = world.facts
        self.work = ClaimedWork(claim, Lease(self.board, claim))
        self.bmc, self.host = SimulatedBmc(world), SimulatedHost(world, claim.job)
        self.reimaging = Reimaging(self.work, ORDERED, self.host, self.bmc, threading.Event(), PATIENCE, world.clock)
        self.work.lease.ends_at = lambda: world.now + 60  # type: ignore[method-assign]

    def run(self) -> Result:
        result = self.reimaging.run()
        assert result is not None
        self.world.facts.update(result.facts)
        return result


def dies_once(name: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    died = list[str]()

    def reach(here: str) -> None:
        if here == name and not died:
            died.append(here)
            raise Died

    monkeypatch.setattr(crash, "reach", reach)
    return died
