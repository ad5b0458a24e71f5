"""A board in memory, a player that follows a script, and recorded facts of a real lab host."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from drydock_api.client import BoardError
from drydock_remediation.apt_on_host import read_plan
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.facts import HostFacts
from drydock_remediation.player import TaskReport
from drydock_remediation.records import Claim, Job, Release, Repair, Result, Step
from drydock_remediation.task_reports import TaskReports

RECORDED = Path(__file__).parent / "recorded"
RELEASE = Release("2", "http://10.0.0.1:8080/apt/v2", {"fleet-os": "2.0", "fleet-kernel": "2.0", "fleet-agent": "2.0"}, "6.2.0.0-fleet")


def recorded(release: int) -> dict[str, Any]:
    """As read_host answered on h02: on release 1, and on release 2 after g17.Update.h02.3."""
    found: dict[str, Any] = json.loads((RECORDED / f"release-{release}.json").read_text())
    return found


def facts(release: int, **changes: Any) -> HostFacts:
    return dataclasses.replace(HostFacts.read(recorded(release)), **changes)


def simulation(name: str) -> str:
    """What the program on an apt host makes of what apt-get printed there."""
    safe, _, full = (RECORDED / f"simulation-{name}.txt").read_text().partition("== what a full upgrade would do ==")
    return json.dumps({**read_plan(safe), "inTheWay": read_plan(full)["removals"]})


def job(host: str = "h02", step: Step = Step.UPDATE, grant: str = "g17", **changes: Any) -> Job:
    round_ = 3 if step is Step.UPDATE else 4
    made = Job(f"{grant}.{step}.{host}.{round_}", grant, step, host, f"10.0.0.{int(host[1:])}", round_, 120, RELEASE, {}, ("web",))
    return dataclasses.replace(made, **changes)


def _topic(one: Job) -> str:
    return f"host/{one.repair if one.repair in (Repair.POWER_CYCLE, Repair.CLEAN_DISK) else one.mode}"


class FakeBoard:
    """Leases never run out by themselves: a test takes a claim away with `lost`."""

    def __init__(self, *jobs: Job, lease_seconds: int = 30) -> None:
        self.open = {one.id: one for one in jobs}
        self.results: dict[str, Result] = {}
        self.lost: set[str] = set()
        self.errors: list[BoardError] = []
        self.beats: list[str] = []
        self.notes: dict[str, str] = {}
        self.completions = 0
        self.lease_seconds = lease_seconds
        self.changed = threading.Condition()

    def claimable(self, topics: Sequence[str], steps: Sequence[Step], limit: int) -> list[Job]:
        self._fail()
        return [one for one in self.open.values() if _topic(one) in topics and (not steps or one.step in steps)][:limit]

    def claim(self, job: str, consumer: str) -> Claim | None:
        assert consumer
        with self.changed:
            taken = self.open.pop(job, None)
            return Claim(taken, f"claim-{job}", 1, "1.17.3.1", self.lease_seconds, boot_clock()) if taken else None

    def heartbeat(self, job: str, claim: str, seconds: float) -> int:
        self.beats.append(job)
        self._fail()
        if job in self.lost:
            raise BoardError("stale claim", 409)
        return self.lease_seconds

    def note(self, job: str, claim: str, facts: Mapping[str, str], seconds: float) -> None:
        self._fail()
        if job in self.lost:
            raise BoardError("stale claim", 409)
        self.notes.update(facts)

    def complete(self, job: str, claim: str, result: Result) -> None:
        with self.changed:
            self.completions += 1
            self._fail()
            assert claim == f"claim-{job}"
            self.results[job] = result
            self.changed.notify_all()

    def wait_result(self, job: str, seconds: float = 15) -> Result:
        with self.changed:
            assert self.changed.wait_for(lambda: job in self.results, seconds), f"no result for {job}"
            return self.results[job]

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)


Script = Callable[[list[Claim], Callable[[], bool]], Iterator[TaskReport]]


class ScriptedPlayer:
    """Follows one script per play and notes which hosts it was asked to play for."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.played: list[tuple[Step, list[str]]] = []
        self.running = 0
        self.until: Callable[[float], None] = lambda _: None

    def play(self, step: Step, claims: list[Claim], stop: Callable[[], bool], until: Callable[[], float]) -> Iterator[TaskReport]:
        self.played.append((step, [claim.job.host for claim in claims]))
        self.until(until())
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        self.running += 1
        try:
            for report in script(claims, stop):
                if stop():
                    return
                yield report
        finally:
            self.running -= 1


def good_update(host: str) -> list[TaskReport]:
    """What the tasks of update.yml reported when h02 went from release 1 to 2."""
    return [
        TaskReport(host, "fence", TaskReports("ok", 0)),
        TaskReport(host, "before", TaskReports("ok", facts=facts(1))),
        TaskReport(host, "channel", TaskReports("ok", 0)),
        TaskReport(host, "simulation", TaskReports("ok", 0, simulation("good"))),
        TaskReport(host, "upgrade", TaskReports("ok", 0)),
        TaskReport(host, "middle", TaskReports("ok", facts=facts(2, kernel="6.1.0.0-fleet"))),
        TaskReport(host, "reboot", TaskReports("ok", 0)),
        TaskReport(host, "await", TaskReports("ok", 0)),
        TaskReport(host, "after", TaskReports("ok", facts=facts(2))),
        TaskReport(host, "end", TaskReports("ok")),
    ]


def all_good(claims: list[Claim], _: Callable[[], bool]) -> Iterator[TaskReport]:
    for claim in claims:
        yield from good_update(claim.job.host)
