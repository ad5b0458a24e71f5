"""Carries claimed re-image jobs to their results: looks, lets decide.py say what is due, does that, and looks again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from drydock_api.client import BoardError
from drydock_remediation import crash
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.health.baseline import baseline, wanted
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.records import Claim, Mend, Outcome, Release, Result
from drydock_remediation.reimage.bmc import Bmc
from drydock_remediation.reimage.decide import EFFECTS, Deadlines, Do, Order, Past, Step, left_armed, next_step, record_of
from drydock_remediation.reimage.effects import SentEffects, seconds_for, send
from drydock_remediation.reimage.facts import BEGUN, KEPT, KEPT_UNDER, OFF, SUMS, SUMS_BEFORE, BmcState, Earlier, View
from drydock_remediation.reimage.host import Host, NoAnswer, NotDone
from drydock_remediation.reimage.outcome import Seen, conclude
from drydock_remediation.reimage.session import NotUsable, Silent

LOG = logging.getLogger(__name__)
PATIENCE = Deadlines()


class Machines(Protocol):
    """How the machine of a job is reached."""

    def host(self, claim: Claim) -> Host: ...

    def bmc(self, host: str) -> Bmc | None:
        """None when nobody said where it is."""


@dataclass
class Reimaging:
    """One job. It ends without a result when its lease is lost or the program is to stop: the next attempt reads and goes on."""

    work: ClaimedWork
    release: Release
    host: Host
    bmc: Bmc
    stopping: threading.Event
    patience: Deadlines = PATIENCE
    clock: Callable[[], float] = boot_clock

    def __post_init__(self) -> None:
        job = self.work.claim.job
        now = self.clock()
        self._order = Order(self.release.image, self.release.image_version)
        self._ends_at = now + job.deadline_seconds
        self._this = f"{job.grant}.{job.round}"
        self._past = self._begin(now)
        self._fenced = False
        self._said = ""
        self._trouble = ""
        self._before: dict[str, str] = {}

    def _begin(self, now: float) -> Past:
        """From what those before this attempt have noted."""
        job, facts = self.work.claim.job, self.work.claim.job.facts
        past = Past(now, follows=self.work.claim.attempt > 1, noted=facts.get(BEGUN) == self._this, earlier=Earlier.of(job))
        if facts.get(KEPT) != self._this:
            return past
        return replace(past, kept=True, sums=facts.get(SUMS_BEFORE, ""), sums_of=facts.get(KEPT_UNDER, ""))

    def run(self) -> Result | None:
        try:
            while not self.stopping.is_set() and self.work.lease.valid():
                result = self._turn()
                if result is not None:
                    return replace(result, facts=self._known() | dict(result.facts))
            return None
        finally:
            self.bmc.close()

    def _turn(self) -> Result | None:
        name = self.work.claim.job.host
        try:
            view = self._look()
            due = self._due(view)
            if isinstance(due, Result):
                return due
            self._say(due)
            if due.do is Do.PROVE:
                return self._proven(view)
            self._carry_out(due, view)
        except NoAnswer as error:
            LOG.info("%s: %s", name, error)
        except NotDone as error:
            return Result(Outcome.FAILED, f"{name}: {error}")
        except BoardError as error:
            return Result(Outcome.FAILED, f"{name}: nothing was begun that the board does not note: {error}")
        except NotUsable as error:
            end = Step(Do.GIVE_UP, str(error), Outcome.UNKNOWN if self._past.kept else Outcome.FAILED, None, Mend.PEOPLE, "bmc-unusable")
            return self._given_up(end)
        self.stopping.wait(self.patience.look)
        return None

    def _due(self, view: View) -> Step | Result:
        name, now = self.work.claim.job.host, self.clock()
        self._past = self._past.saw(view, now, self.patience)
        late = Step(Do.GIVE_UP, f"the time of the job is over; the last was: {self._said}", Outcome.UNKNOWN)
        if self._past.ending is None and now > self._ends_at - self._reserve():
            self._past = replace(self._past, ending=late)
        step = next_step(view, self._past, self._order, self.patience, now)
        if step.do is Do.GIVE_UP:
            return self._given_up(step)
        if now > self._ends_at:
            end = self._past.ending or late
            return Result(Outcome.UNKNOWN, f"{name}: {(left_armed(end, view.bmc) if view.bmc else end).why}")
        return step

    def _given_up(self, step: Step) -> Result:
        name, touched, outcome = self.work.claim.job.host, self._past.touched, step.outcome or Outcome.UNKNOWN
        said = f"{name} was not touched" if touched is False and outcome is Outcome.FAILED else name
        return Result(outcome, f"{said}: {step.why}{self._trouble}", begun=touched, mend=step.mend, cause=step.cause)

    def _reserve(self) -> float:
        return min(self.patience.reserve, self.work.claim.job.deadline_seconds / 10)

    def _carry_out(self, step: Step, view: View) -> None:
        if step.do is Do.NOTE:
            self._past = replace(self._past, noted=self.work.lease.note({BEGUN: self._this} | self._known()))
        elif step.do in EFFECTS:
            self._effect(step, view)

    def _proven(self, view: View) -> Result:
        host, bmc = view.host, view.bmc
        kept = record_of(host, self._past) if host is not None else None
        assert host is not None and bmc is not None and kept is not None, "else nothing would be to be proven"  # noqa: S101
        return conclude(self.work.claim.job, self.release, Seen(host, bmc, kept, self.host.prove(kept)))

    def _known(self) -> dict[str, str]:
        """What the machine was like, and that this round kept something and has not proven it: it is not forgotten with the partition
        that holds it."""
        if not self._past.kept:
            return self._before
        return self._before | {KEPT: self._this, SUMS_BEFORE: self._past.sums, KEPT_UNDER: self._past.sums_of, SUMS: ""}

    def _look(self) -> View:
        try:
            bmc = self.bmc.read(self.patience.read, tasks=not self._past.settled)
        except Silent as error:
            LOG.info("%s: its BMC is silent: %s", self.work.claim.job.host, error)
            self._trouble = f"; its BMC's last word was: {error}"
            return View(None, None)
        self._trouble = ""
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
            self._trouble = f"; the host's last word was: {error}" if isinstance(error, NotDone) else self._trouble
            return View(bmc, None)

    def _effect(self, step: Step, view: View) -> None:
        if not self._allowed():
            return
        point = f"operator-reimage-{step.do.name.lower()}"
        crash.reach(f"{point}-due")
        if step.do is Do.KEEP:
            # Nobody of this grant has done anything yet, where none of its steps says otherwise.
            self._before = self._describe() if wanted(self.work.claim.job.facts, 1) else {}
            self.host.keep()
            sent: SentEffects | None = SentEffects()
        else:
            sent = send(self.bmc, step.do, self._order, self._allowed, self.work.claim.job.host)
        if sent is None:
            return
        self._past = self._past.did(step, view, self.clock(), sent.reply, sent.refusal)
        crash.reach(f"{point}-done")

    def _allowed(self) -> float:
        return seconds_for(self.work.lease, self.patience.request, self.clock())

    def _describe(self) -> dict[str, str]:
        try:
            return baseline(self.bmc.describe(self.patience.read))
        except Silent as error:
            LOG.info("%s: its BMC does not tell what it is like: %s", self.work.claim.job.host, error)
            return {}

    def _say(self, step: Step) -> None:
        text = f"{step.do}: {step.why}" if step.why else str(step.do)
        if text != self._said:
            LOG.info("%s", text, extra={"job": self.work.claim.job.id, "host": self.work.claim.job.host})
            self._said = text


def unreachable(host: str) -> Result:
    """Of a machine whose BMC nobody has told of."""
    said = f"{host} was not touched: nobody said where its BMC is; name it in the operator's DRYDOCK_BMC_CONFIG"
    return Result(Outcome.FAILED, said, begun=False, mend=Mend.PEOPLE, cause="bmc-unknown")


def reimage(work: ClaimedWork, machines: Machines, stopping: threading.Event, patience: Deadlines = PATIENCE) -> Result | None:
    """Brings one to its result; None when its lease was lost or the program is to stop."""
    job, bmc = work.claim.job, machines.bmc(work.claim.job.host)
    if bmc is None:
        return unreachable(job.host)
    assert job.release is not None, "checked before the set was made"  # noqa: S101
    return Reimaging(work, job.release, machines.host(work.claim), bmc, stopping, patience).run()
