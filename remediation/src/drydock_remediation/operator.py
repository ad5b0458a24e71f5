"""The consumer: takes jobs from the board and gives them to job sets that run side by side."""

from __future__ import annotations

import logging
import random
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial

from drydock_api.client import BoardError
from drydock_remediation import crash
from drydock_remediation.board import Board
from drydock_remediation.commands import objections
from drydock_remediation.health.custom import unjudged
from drydock_remediation.health.redfish import MachineReader
from drydock_remediation.jobset import ClaimedWork, JobSet, complete
from drydock_remediation.lanes import Lane, lane_of, sought
from drydock_remediation.lease import Lease
from drydock_remediation.metrics import CLAIMED
from drydock_remediation.parallel_jobs import ParallelJobSet
from drydock_remediation.player import Player
from drydock_remediation.records import REIMAGE, Claim, Job, Mend, Outcome, Result, Step
from drydock_remediation.reimage.decide import Deadlines
from drydock_remediation.reimage.run import Machines, reimage
from drydock_remediation.repairs.repair_actions import acts
from drydock_remediation.settings import Settings

LOG = logging.getLogger(__name__)
BACKOFF_SECONDS_MAX = 10.0


class Operator:
    """Everything claimable at one look becomes one set per mode and step. A newcomer gets a set of its own at the next look, it
    does not wait for a running one; only what runs at once in each lane is bounded."""

    def __init__(
        self,
        board: Board,
        player: Player,
        settings: Settings,
        stopping: threading.Event,
        machines: Machines | None = None,
        looks: MachineReader | None = None,
    ) -> None:
        self._board = board
        self._player = player
        self._settings = settings
        self._stopping = stopping
        self._machines = machines
        self._acts = acts(settings)
        self._reimage = partial(reimage, patience=Deadlines(install=settings.waits.install, bmc=settings.waits.bmc))
        self._looks = looks
        self._running: list[tuple[threading.Thread, Lane, JobSet | ParallelJobSet]] = []

    def run(self) -> None:
        """Until told to stop. Then nothing new is claimed, plays are ended here (what runs on hosts goes on under its
        wrapper), and claims are left to their leases: whoever comes next attaches."""
        failures = 0
        while not self._stopping.is_set():
            try:
                self.take()
                failures, pause = 0, self._settings.poll_seconds
            except BoardError as error:
                failures += 1
                pause = min(BACKOFF_SECONDS_MAX, self._settings.poll_seconds * 2.0**failures)
                LOG.warning("the board did not answer (%d in a row): %s", failures, error)
            self._stopping.wait(pause * random.uniform(0.7, 1.3))  # noqa: S311
        self.join()

    def take(self) -> int:
        """Claims what there is room for and starts on it; returns how many jobs that were."""
        self._running = [running for running in self._running if running[0].is_alive()]
        taken: list[ClaimedWork] = []
        try:
            for job in self._offered():
                if self._stopping.is_set():
                    break
                claim = self._board.claim(job.id, self._settings.consumer)
                if claim is not None:
                    CLAIMED.labels(claim.job.step).inc()
                    LOG.info("claimed", extra=_names(claim))
                    crash.reach(f"operator-{claim.job.step.lower()}-claimed")
                    taken.append(ClaimedWork(claim, Lease(self._board, claim).start()))
        finally:  # what was claimed before an error is worked on
            self._begin([work for work in taken if self._acceptable(work)])
        return len(taken)

    def join(self) -> None:
        for thread, _, _ in self._running:
            thread.join()

    def _offered(self) -> Iterator[Job]:
        free = self._free()
        for one in sought(self._settings.topics, free):
            # A board that knows nothing of steps offers others, too.
            yield from (job for job in self._board.claimable(one.topics, one.steps, self._settings.hosts_per_set) if lane_of(job) in free)

    def _free(self) -> set[Lane]:
        most = dict.fromkeys(Lane, self._settings.sets_at_once) | {Lane.MACHINES: self._settings.machines_at_once}
        taken: Counter[Lane] = Counter()
        for _, lane, one in self._running:
            taken[lane] += one.open if isinstance(one, ParallelJobSet) else 1
        return {lane for lane in Lane if taken[lane] < most[lane]}

    def _acceptable(self, work: ClaimedWork) -> bool:
        job = work.claim.job
        wrong, unknown = objections(job, work.claim.token), unjudged(job, self._settings.health_checks)
        found = [*wrong, *unknown]
        if found:
            early = job.step is Step.PREFLIGHT
            says = f"{'not touched' if early else f'{job.host} was not touched'}: {'; '.join(found)}"
            # What earlier attempts began only the host knows, and it was not asked.
            cause = "bad-job" if wrong else "checks-unknown"
            result = Result(Outcome.FAILED, says, begun=False if early else None, mend=Mend.PEOPLE, cause=cause)
            threading.Thread(target=complete, args=(self._board, work, result, self._stopping), daemon=True).start()
        return not found

    def _begin(self, taken: list[ClaimedWork]) -> None:
        while taken:
            kind = _kind(taken[0])
            chosen: dict[str, ClaimedWork] = {}  # one job per host: a host has one place in an inventory
            for work in taken:
                if _kind(work) == kind:
                    chosen.setdefault(work.claim.job.host, work)
            taken = [work for work in taken if work not in chosen.values()]
            begun = self._set(list(chosen.values()))
            thread = threading.Thread(target=begun.run, name=f"{' '.join(kind)} of {', '.join(chosen)}")
            self._running.append((thread, lane_of(next(iter(chosen.values())).claim.job), begun))
            thread.start()

    def _set(self, work: list[ClaimedWork]) -> JobSet | ParallelJobSet:
        job, machines = work[0].claim.job, self._machines
        act = self._reimage if _kind(work[0]) == (REIMAGE, Step.UPDATE) else self._acts.get(job.repair) if job.repair else None
        if act is None:
            settings = self._settings
            return JobSet(
                self._board,
                self._player,
                job.step,
                work,
                self._stopping,
                looks=self._looks,
                waits=settings.waits,
                checks=settings.health_checks,
            )
        assert machines is not None, "who reaches no machines asks for no such topics"  # noqa: S101
        return ParallelJobSet(self._board, work, lambda one: act(one, machines, self._stopping), self._stopping)


def _kind(work: ClaimedWork) -> tuple[str, Step]:
    return work.claim.job.mode, work.claim.job.step


def _names(claim: Claim) -> dict[str, str | int]:
    return {"job": claim.job.id, "host": claim.job.host, "attempt": claim.attempt, "token": claim.token}
