"""Looks at the machines of a job set from outside while it plays: a BMC takes its time, and nobody else has to wait for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable

from drydock_remediation.health import baseline
from drydock_remediation.health.machine import OutOfBandReading
from drydock_remediation.health.redfish import ASKS, LOOK_SECONDS_MAX, MachineReader
from drydock_remediation.records import PACKAGE_UPDATE, REIMAGE, Claim, Repair, Step

LOG = logging.getLogger(__name__)


def asks_for(claim: Claim) -> int | None:
    """How often the BMC of a job's host is asked a simple question before its machine is read; None: nobody looks."""
    job = claim.job
    if job.repair is Repair.DIAGNOSE:
        return ASKS
    if job.step is Step.PREFLIGHT:
        return 0 if job.mode == REIMAGE else None
    if job.step is Step.UPDATE and job.mode == PACKAGE_UPDATE:  # a re-image looks by itself
        return 0 if baseline.wanted(job.facts, claim.attempt) else None
    return 0 if job.step is Step.HEALTH and not job.spec.outer.empty else None


class Watch:
    """One look at each host that needs one, each in a thread of its own."""

    def __init__(self, looks: MachineReader | None, claims: Iterable[Claim], patience: float = 0.0) -> None:
        """`patience`: how long a BMC may be silent, in seconds, where the job cannot do without it; half of the job's time at most."""
        self._give_up = time.monotonic() + LOOK_SECONDS_MAX
        self._seen: dict[str, OutOfBandReading | None] = {}
        self._looking: dict[str, threading.Thread] = {}
        for claim in claims:
            if looks and (asks := asks_for(claim)) is not None:
                job = claim.job
                self._begin(looks, job.host, asks, 0.0 if job.step is Step.UPDATE else min(patience, job.deadline_seconds / 2))

    def _begin(self, looks: MachineReader, host: str, asks: int, patience: float) -> None:
        def look() -> None:
            try:
                self._seen[host] = looks.look(host, asks=asks, patience=patience)
            except Exception:  # the last frame of this thread; what was not seen is unknown
                LOG.exception("the machine of %s was not looked at", host)

        self._give_up = max(self._give_up, time.monotonic() + patience + LOOK_SECONDS_MAX)
        self._looking[host] = threading.Thread(target=look, name=f"look at {host}", daemon=True)
        self._looking[host].start()

    def looks_at(self, host: str) -> bool:
        """Whether a look at it goes on."""
        return host in self._looking and self._looking[host].is_alive() and time.monotonic() < self._give_up

    def of(self, host: str) -> OutOfBandReading | None:
        """Waits for the look. None: there was none, or nobody said where the BMC is."""
        if thread := self._looking.get(host):
            thread.join(max(0.0, self._give_up - time.monotonic()))
        return self._seen.get(host, OutOfBandReading(None, None, "the look at it did not end") if thread else None)


def baseline_for(host: str, watch: Watch) -> dict[str, str]:
    """What its machine was like before its update."""
    seen = watch.of(host)
    return baseline.baseline(seen.machine if seen else None)
