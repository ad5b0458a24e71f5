"""Switches a host off and on through its BMC: looks, lets power_cycle_decisions.py say what is due, does that, and looks again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from drydock_remediation import crash
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.diagnosis import BOOT
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.records import Mend, Outcome, Result
from drydock_remediation.reimage.bmc import Bmc
from drydock_remediation.reimage.decide import BMC_SILENT, EFFECTS, LOCK_HELD, Deadlines, Order, Step
from drydock_remediation.reimage.effects import seconds_for, send
from drydock_remediation.reimage.facts import ON, BmcState
from drydock_remediation.reimage.host import Host, NoAnswer, NotDone
from drydock_remediation.reimage.run import Machines, unreachable
from drydock_remediation.reimage.session import NotUsable, Silent
from drydock_remediation.repairs.power_cycle_decisions import PATIENCE, Past, next_step, touched

LOG = logging.getLogger(__name__)
NOTHING_ORDERED = Order("", "")


@dataclass
class PowerCycling:
    """One job. It ends without a result when its lease is lost or the program is to stop: the next attempt reads and goes on."""

    work: ClaimedWork
    host: Host
    bmc: Bmc
    stopping: threading.Event
    patience: Deadlines = PATIENCE
    clock: Callable[[], float] = boot_clock

    def __post_init__(self) -> None:
        self._ends_at = self.clock() + self.work.claim.job.deadline_seconds
        self._past = Past()
        self._said = ""  # why its BMC tells nothing, in its last word

    def run(self) -> Result | None:
        try:
            result = self._begin()
            while result is None and not self.stopping.is_set() and self.work.lease.valid():
                result = self._turn()
            return result
        except NotUsable as error:
            said, begun = f"{self.work.claim.job.host}: {error}", None if self._past.effects or self._past.untold else False
            return Result(touched(self._past), said, begun=begun, mend=Mend.PEOPLE, cause="bmc-unusable")
        finally:
            self.bmc.close()

    def _begin(self) -> Result | None:
        """From here on older executors are refused by the host, where it answers. A later attempt asks which boot it is."""
        job, attempt = self.work.claim.job, self.work.claim.attempt
        boot, diagnosed = "", job.facts.get(BOOT, "")
        try:
            self.host.fence()
            boot = self.host.read().facts.boot_id if attempt > 1 else ""
        except NoAnswer as error:
            LOG.info("%s does not answer: %s", job.host, error)
        except NotDone as error:
            if error.fenced_off:
                return Result(Outcome.UNKNOWN, f"{job.host}: somebody newer acts there: {error}")
            LOG.info("%s answers and cannot: %s", job.host, error)
        told = bool(boot and diagnosed)
        if told and boot != diagnosed:
            return Result(Outcome.DONE, f"{job.host} was switched off and on by an earlier attempt")
        self._past = Past(untold=attempt > 1 and not told)
        return None

    def _turn(self) -> Result | None:
        name = self.work.claim.job.host
        bmc = self._look()
        now = self.clock()
        self._past = self._past.saw(bmc, now, self.patience)
        step = next_step(name, bmc, self._past, self.patience, now)
        if isinstance(step, Result):
            return replace(step, message=f"{step.message}: {self._said}") if step.cause == BMC_SILENT and self._said else step
        if now > self._ends_at:
            return Result(Outcome.UNKNOWN, f"{name}: the time of the job is over; the last was: {step.do}")
        if step.do in EFFECTS:
            if bmc is not None and bmc.power == ON and self._past.effects == 0 and (others := self._others()):
                said = f"{name} was not touched: others are at work there: {others}"
                return Result(Outcome.FAILED, said, begun=False, mend=Mend.TIME, cause=LOCK_HELD)
            self._effect(step)
        self.stopping.wait(self.patience.look)
        return None

    def _others(self) -> str:
        """Who would be cut off by it, right before the first effect; a host that does not answer does not tell."""
        try:
            return self.host.read().facts.others
        except (NoAnswer, NotDone) as error:
            LOG.info("%s does not tell who works there: %s", self.work.claim.job.host, error)
            return ""

    def _look(self) -> BmcState | None:
        try:
            return self.bmc.read(self.patience.read, tasks=True)
        except Silent as error:
            LOG.info("%s: its BMC is silent: %s", self.work.claim.job.host, error)
            self._said = str(error)
            return None

    def _effect(self, step: Step) -> None:
        job = self.work.claim.job
        if not self._allowed():
            return
        LOG.info("%s: %s", step.do, step.why, extra={"job": job.id, "host": job.host})
        point = f"operator-powercycle-{step.do.name.lower()}"
        crash.reach(f"{point}-due")
        sent = send(self.bmc, step.do, NOTHING_ORDERED, self._allowed, job.host)
        if sent is not None:
            self._past = self._past.did(step.do, self.clock(), sent.reply, sent.refusal)
        crash.reach(f"{point}-done")

    def _allowed(self) -> float:
        return seconds_for(self.work.lease, self.patience.request, self.clock())


def power_cycle(work: ClaimedWork, machines: Machines, stopping: threading.Event, patience: Deadlines = PATIENCE) -> Result | None:
    host = work.claim.job.host
    bmc = machines.bmc(host)
    if bmc is None:
        return unreachable(host)
    return PowerCycling(work, machines.host(work.claim), bmc, stopping, patience).run()
