"""Carries claimed re-image jobs to their results: looks, lets decide.py say what is due, does that, and looks again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from drydock_remediation import crash
from drydock_remediation.board import Board, boot_clock
from drydock_remediation.jobset import Work, complete
from drydock_remediation.records import Claim, Outcome, Release, Result
from drydock_remediation.reimage.bmc import Bmc, Refused, Unanswered
from drydock_remediation.reimage.conclude import conclude
from drydock_remediation.reimage.decide import EFFECTS, Do, Order, Past, Patience, Step, next_step
from drydock_remediation.reimage.facts import OFF, BmcState, View
from drydock_remediation.reimage.host import Host, NoAnswer, NotDone
from drydock_remediation.reimage.session import LockedOut, Silent

LOG = logging.getLogger(__name__)
# A request ends before the lease does, so that it cannot reach a BMC beside the next attempt's.
LEASE_MARGIN_SECONDS, REQUEST_SECONDS_MIN = 0.5, 1.5


class Machines(Protocol):
    """How the machine of a job is reached."""

    def host(self, claim: Claim) -> Host: ...

    def bmc(self, host: str) -> Bmc | None:
        """None when nobody said where it is."""


@dataclass
class Reimaging:
    """One job. It ends without a result when its lease is lost or the program is to stop: the next attempt reads and goes on."""

    work: Work
    release: Release
    host: Host
    bmc: Bmc
    stopping: threading.Event
    patience: Patience = field(default_factory=Patience)
    clock: Callable[[], float] = boot_clock

    def __post_init__(self) -> None:
        job = self.work.claim.job
        now = self.clock()
        self._order = Order(self.release.image, self.release.image_version)
        self._ends_at = now + job.deadline_seconds
        self._past = Past(now)
        self._fenced = False
        self._said = ""
        self._trouble = ""

    def run(self) -> Result | None:
        try:
            while not self.stopping.is_set() and self.work.lease.valid():
                result = self._turn()
                if result is not None:
                    return result
            return None
        finally:
            self.bmc.close()

    def _turn(self) -> Result | None:
        name = self.work.claim.job.host
        try:
            view = self._look()
            now = self.clock()
            self._past = self._past.saw(view, now, self.patience)
            step = next_step(view, self._past, self._order, self.patience, now)
            self._say(step)
            if step.do is Do.GIVE_UP:
                return Result(step.outcome or Outcome.UNKNOWN, f"{name}: {step.why}{self._trouble}")
            if step.do is Do.PROVE and view.host is not None and view.bmc is not None:
                return conclude(self.work.claim.job, self.release, view.host, view.bmc, self.host.prove())
            if step.do in EFFECTS:
                self._effect(step, view)
        except NoAnswer as error:
            LOG.info("%s: %s", name, error)
        except NotDone as error:
            return Result(Outcome.FAILED, f"{name}: {error}")
        except LockedOut as error:
            return Result(Outcome.UNKNOWN if self._past.kept else Outcome.FAILED, f"{name}: {error}")
        if self.clock() > self._ends_at:
            return Result(Outcome.UNKNOWN, f"{name}: the time of the job is over; the last was: {self._said}")
        self.stopping.wait(self.patience.look)
        return None

    def _look(self) -> View:
        try:
            bmc = self.bmc.read(self.patience.request, tasks=not self._past.settled)
        except Silent as error:
            LOG.info("%s: its BMC is silent: %s", self.work.claim.job.host, error)
            return View(None, None)
        return View(bmc, None) if self._surely_silent(bmc) else self._with_host(bmc)

    def _surely_silent(self, bmc: BmcState) -> bool:
        """Nobody is there to be asked, or whoever is there is about to go."""
        return bmc.power == OFF or self._past.pressed_at is not None

    def _with_host(self, bmc: BmcState) -> View:
        try:
            if not self._fenced:
                self.host.fence()
                self._fenced = True
            return View(bmc, self.host.read())
        except (NoAnswer, NotDone) as error:
            # One that is just starting may answer before it can: it is looked at again, as one that is silent.
            if isinstance(error, NotDone) and error.fenced_off:
                raise
            self._trouble = f"; the host's last word was: {error}" if isinstance(error, NotDone) else ""
            return View(bmc, None)

    def _effect(self, step: Step, view: View) -> None:
        seconds = min(self.patience.request, self.work.lease.ends_at() - self.clock() - LEASE_MARGIN_SECONDS)
        if seconds < REQUEST_SECONDS_MIN:
            return  # the lease is renewed first
        point = f"operator-reimage-{step.do.name.lower()}"
        crash.reach(f"{point}-due")
        answered, refusal = True, ""
        try:
            if step.do is Do.KEEP:
                self.host.keep()
            else:
                answered = self.bmc.act(step.do, self._order, seconds)
        except Silent as error:
            LOG.info("%s: not done, its BMC is silent: %s", self.work.claim.job.host, error)
            return
        except Unanswered as error:
            LOG.warning("%s: %s was not answered: %s", self.work.claim.job.host, step.do, error)
            answered = False
        except Refused as error:
            LOG.warning("%s: %s was refused: %s", self.work.claim.job.host, step.do, error)
            refusal = str(error)
        self._past = self._past.did(step, view, self.clock(), answered=answered, refusal=refusal)
        crash.reach(f"{point}-done")

    def _say(self, step: Step) -> None:
        text = f"{step.do}: {step.why}" if step.why else str(step.do)
        if text != self._said:
            LOG.info("%s", text, extra={"job": self.work.claim.job.id, "host": self.work.claim.job.host})
            self._said = text


class ReimageSet:
    """Several at once, each in a thread of its own: they wait for machines nearly all of the time."""

    def __init__(self, board: Board, machines: Machines, work: list[Work], stopping: threading.Event) -> None:
        self._board = board
        self._machines = machines
        self._work = work
        self._stopping = stopping

    def run(self) -> None:
        threads = [threading.Thread(target=self._one, args=(one,), name=f"re-image of {one.claim.job.host}") for one in self._work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _one(self, work: Work) -> None:
        try:
            result = self._reimage(work)
            if result is not None:
                complete(self._board, work, result, self._stopping)
        except Exception:  # the last frame of this thread; the lease runs out and the job is given to somebody else
            LOG.exception("the re-image of %s ended early", work.claim.job.host)
        finally:
            work.lease.stop()

    def _reimage(self, work: Work) -> Result | None:
        job, bmc = work.claim.job, self._machines.bmc(work.claim.job.host)
        if bmc is None:
            return Result(Outcome.FAILED, f"{job.host} was not touched: nobody said where its BMC is")
        assert job.release is not None, "checked before the set was made"  # noqa: S101
        return Reimaging(work, job.release, self._machines.host(work.claim), bmc, self._stopping).run()
