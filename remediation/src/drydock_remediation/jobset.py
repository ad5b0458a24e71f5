"""Carries a set of claimed jobs of one step to their results."""

from __future__ import annotations

import dataclasses
import logging
import math
import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from drydock_api.client import BoardError
from drydock_remediation import crash, others_on_host, preflight
from drydock_remediation.board import Board
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.diagnosis import examine
from drydock_remediation.health.custom import HostCheck
from drydock_remediation.health.redfish import MachineReader
from drydock_remediation.health.watch import Watch, baseline_for
from drydock_remediation.lease import Lease
from drydock_remediation.metrics import ENDED, SECONDS
from drydock_remediation.observations import Observations
from drydock_remediation.player import STARTED, Player, TaskReport
from drydock_remediation.records import Claim, Outcome, Repair, Result, Step
from drydock_remediation.settings import Waits
from drydock_remediation.task_reports import TaskReports
from drydock_remediation.update import conclude
from drydock_remediation.verdict import NO_CHECKS, judge

LOG = logging.getLogger(__name__)
PLAYS_MAX = 3
PAUSE_SECONDS = 1.0
SEEN_SECONDS = 0.1
COMPLETE_SECONDS_MAX = 120.0
WAITS_FOR, WAITS_FOR_MAX = "waitsFor", 500  # fact of an update: who else works on its host
WAITS = Waits()


@dataclass(frozen=True)
class ClaimedWork:
    claim: Claim
    lease: Lease


class JobSet:
    """Plays the step over its hosts, reports each host as soon as it is through, and plays again for those whose
    connection broke: the wrapper on the host makes a second play continue the first.

    When one lease is lost the whole play is stopped at once, and goes on without that host."""

    def __init__(
        self,
        board: Board,
        player: Player,
        step: Step,
        work: list[ClaimedWork],
        stopping: threading.Event,
        clock: Callable[[], float] = boot_clock,
        looks: MachineReader | None = None,
        waits: Waits = WAITS,
        checks: Mapping[str, HostCheck] = NO_CHECKS,
    ) -> None:
        self._board = board
        self._player = player
        self._step = step
        self._open = {one.claim.job.host: one for one in work}
        self._told: dict[str, dict[str, TaskReports]] = {}
        self._looks = looks
        self._waits = waits
        self._checks = checks
        self._watch = Watch(looks, [one.claim for one in work] if step is Step.UPDATE else ())
        self._stopping = stopping
        self._clock = clock
        self._began_at = clock()
        self._completing: list[threading.Thread] = []

    def run(self) -> None:
        try:
            self._play_until_done()
            for host in list(self._open):
                result = self._conclude(host)
                self._end(host, preflight.final(result) if self._step is Step.PREFLIGHT else result)
        except Exception:  # the last frame of this thread; the leases run out and the jobs are given to somebody else
            LOG.exception("a job set ended early: %s", ", ".join(self._open))
        finally:
            self._give_up()
            for thread in self._completing:
                thread.join()

    def _play_until_done(self) -> None:
        plays = 0
        while self._open and (plays < PLAYS_MAX or self._may_be_starting()):
            self._told = {host: {} for host in self._open}
            interrupted = self._play_once()
            self._forget_lost()
            if self._stopping.is_set():
                self._give_up()
            elif not interrupted:
                plays += 1
                if self._open:
                    self._stopping.wait(PAUSE_SECONDS)

    def _may_be_starting(self) -> bool:
        """An earlier attempt may have died while a host was starting anew, and one to be verified was switched on a moment
        ago: one that does not answer gets the time of a boot before it is judged."""
        unread = [work.claim for host, work in self._open.items() if not any(told.facts for told in self._told[host].values())]
        starting = any(claim.attempt > 1 or claim.job.repair is Repair.VERIFY for claim in unread)
        return starting and self._clock() - self._began_at < self._waits.boot

    def _play_once(self) -> bool:
        """True when it was stopped because of a lost lease. Nobody is waited for while it plays: it has to be told of its leases."""
        claims = [work.claim for work in self._open.values()]
        if self._step is not Step.UPDATE:  # an update is looked at before anything is done
            self._watch = Watch(self._looks, claims, self._patience_with_bmcs())
        looked_at: list[str] = []
        for report in self._player.play(self._step, claims, self._must_stop, self._leased_until):
            if report.host in self._open and self._takes(report):
                if self._watch.looks_at(report.host):
                    looked_at.append(report.host)
                else:
                    self._end_if_known(report.host)
        while looked_at and not self._must_stop():
            looked_at = [host for host in looked_at if not self._end_if_seen(host)]
            self._stopping.wait(SEEN_SECONDS if looked_at else 0)
        return self._must_stop()

    def _end_if_seen(self, host: str) -> bool:
        """Whether the look at it has ended; a set waits for none of its hosts longer than for the others."""
        if self._watch.looks_at(host):
            return False
        self._end_if_known(host)
        return True

    def _patience_with_bmcs(self) -> float:
        """Of all plays together."""
        return max(0.0, self._waits.bmc - (self._clock() - self._began_at)) if self._looks else 0.0

    def _takes(self, report: TaskReport) -> bool:
        """Whether it was the last of its host."""
        if report.told.status == STARTED:
            crash.reach(f"operator-{report.task}-begun")
            return False
        if report.told.status in ("failed", "unreachable"):
            LOG.warning("%s %s: %s", report.task, report.told.status, report.told.tail(), extra={"host": report.host})
        if report.told.ran:
            crash.reach(f"operator-{report.task}-done")
        if report.task != "end":
            self._told[report.host][report.task] = report.told
        if report.task == "others":
            self._tell_of_others(report)
        return report.task == "end"

    def _tell_of_others(self, report: TaskReport) -> None:
        """Whom the update waits for is told while it does; nobody waits for that to be noted."""
        at_work = others_on_host.told(report.told.out) or []
        if at_work and self._step is Step.UPDATE:
            LOG.warning("waits for others: %s", others_on_host.sentence(at_work), extra={"host": report.host})
            noted = {WAITS_FOR: others_on_host.sentence(at_work)[:WAITS_FOR_MAX]}
            threading.Thread(target=_note, args=(self._open[report.host], noted), daemon=True).start()

    def _end_if_known(self, host: str) -> None:
        result = self._conclude(host)
        if result.outcome is not Outcome.UNKNOWN:
            self._end(host, result)

    def _conclude(self, host: str) -> Result:
        """An answer that nobody understands is one of this host, and stops no other."""
        try:
            return self._concluded(host)
        except Exception as error:
            LOG.exception("what %s told was not understood", host)
            return Result(Outcome.UNKNOWN, f"{host}: what it told was not understood: {error!r}")

    def _concluded(self, host: str) -> Result:
        job, told = self._open[host].claim.job, self._told[host]
        if self._step is Step.UPDATE:
            result = conclude(job, told)
            return dataclasses.replace(result, facts=baseline_for(host, self._watch) | dict(result.facts))
        if self._step is Step.PREFLIGHT:
            return preflight.conclude(job, told, self._watch.of(host), self._checks)
        around = Observations.of(told, self._watch.of(host))
        facts = around.before.facts
        return examine(job, facts, around) if self._step is Step.REPAIR else judge(job, facts, around, self._checks)

    def _must_stop(self) -> bool:
        return self._stopping.is_set() or not all(work.lease.valid() for work in self._open.values())

    def _leased_until(self) -> float:
        """The first end of a lease: the play ends itself then, should this process be stopped."""
        return min((work.lease.ends_at() for work in self._open.values()), default=math.inf)

    def _forget_lost(self) -> None:
        for host, work in list(self._open.items()):
            if not work.lease.valid():
                LOG.warning("stopped acting: the lease is lost", extra={"job": work.claim.job.id, "host": host})
                work.lease.stop()
                del self._open[host]

    def _give_up(self) -> None:
        """Leaves what is open to its leases."""
        for work in self._open.values():
            work.lease.stop()
        self._open.clear()

    def _end(self, host: str, result: Result) -> None:
        """Reports in a thread of its own: a slow board must not keep the other hosts of the set waiting."""
        work = self._open.pop(host)
        thread = threading.Thread(target=complete, args=(self._board, work, result, self._stopping), daemon=True)
        self._completing.append(thread)
        thread.start()


def _note(work: ClaimedWork, facts: Mapping[str, str]) -> None:
    try:
        work.lease.note(facts)
    except BoardError as error:
        LOG.warning("not noted: %s", error, extra={"job": work.claim.job.id})


def complete(board: Board, work: ClaimedWork, result: Result, stopping: threading.Event, clock: Callable[[], float] = boot_clock) -> None:
    """Repeats the report until the board answers. When it never does, the job's next attempt finds the same state on
    the host and reports it again."""
    job, pause, give_up = work.claim.job, 0.2, clock() + COMPLETE_SECONDS_MAX
    crash.reach(f"operator-{job.step.lower()}-done")
    try:
        while True:
            try:
                board.complete(job.id, work.claim.claim, result)
                ENDED.labels(job.step, result.outcome).inc()
                SECONDS.labels(job.step).observe(clock() - work.claim.asked_at)
                LOG.info("%s: %s", result.outcome, result.message, extra={"job": job.id, "host": job.host})
                return
            except BoardError as error:
                if not error.retryable or clock() > give_up or stopping.wait(pause * random.uniform(0.5, 1.5)):  # noqa: S311
                    LOG.warning("the result was not taken: %s", error, extra={"job": job.id, "outcome": result.outcome})
                    return
            pause = min(5.0, pause * 2)
    finally:
        work.lease.stop()
