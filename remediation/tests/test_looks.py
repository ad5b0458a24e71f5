"""Looks from outside at a machine of the lab, over TLS, and with the faults its BMC has on demand."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drydock_lab.bmc.faults import Fault
from drydock_lab.bmc.resources import FIRMWARE
from drydock_remediation.health import redfish, resources, spec
from drydock_remediation.health.baseline import LOG, MEMORY_GIB
from drydock_remediation.health.machine import Asked, Entry, Machine, OutOfBandReading
from drydock_remediation.health.watch import Watch, asks_for
from drydock_remediation.jobset import JobSet
from drydock_remediation.observations import Observations
from drydock_remediation.player import TaskReport
from drydock_remediation.records import REIMAGE, Claim, Outcome, Repair, Step
from drydock_remediation.task_reports import TaskReports
from drydock_remediation.triage.gather import gather
from drydock_remediation.triage.triage import triage

from .fakes import FakeBoard, ScriptedPlayer, all_good, facts, job
from .test_jobset import work_set
from .test_redfish_bmc import Site
from .test_verdict import EARLIER

POWER_ON = {"at": 0.0, "event": "power on", "severity": "OK"}
BY_BMC = {"failure.step": "Update", "failure.says": "h01: its BMC did not answer for 300 s"}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    made.machine.events = [POWER_ON]
    yield made
    made.end()


@pytest.fixture
def looks(site: Site) -> redfish.RedfishMachineReader:
    return redfish.RedfishMachineReader(dataclasses.replace(site.access, places={"h01": site.place()}))


def signature(outside: OutOfBandReading | None) -> str:
    return triage(gather(job("h01", Step.REPAIR, facts=BY_BMC), facts(1), Observations(outside=outside))).name


def test_a_look_tells_what_the_machine_is_like_and_leaves_no_session(site: Site, looks: redfish.RedfishMachineReader) -> None:
    site.machine.memory_gib = 2
    seen = looks.look("h01", asks=2)
    assert seen is not None and seen.asked is not None and seen.machine is not None
    assert (seen.asked.asked, seen.asked.answered) == (2, 2)
    assert seen.machine == Machine("On", "OK", 2.0, "OK", 2, "OK", FIRMWARE, (Entry(1, "OK", "power on"),), 1)
    assert site.service.sessions == {}
    assert signature(seen) == "unknown", "the control: nothing is the matter with this BMC"


def test_a_machine_nobody_said_the_bmc_of_is_not_looked_at(looks: redfish.RedfishMachineReader) -> None:
    assert looks.look("h99", asks=1) is None


def test_a_bmc_that_is_busy_is_down_and_one_that_breaks_off_flaps(site: Site, looks: redfish.RedfishMachineReader) -> None:
    site.service.faults.set(Fault.BUSY)
    seen = looks.look("h01", asks=3)
    assert seen == OutOfBandReading(Asked(3, 0, None), None, "its BMC answered none of 3 questions")
    assert signature(seen) == "bmc-down"
    site.service.faults.set(Fault.FLAPPING)
    seen = looks.look("h01", asks=redfish.ASKS)
    assert seen is not None and seen.asked is not None
    assert (seen.asked.asked, seen.asked.answered) == (6, 4)
    assert signature(seen) == "bmc-flapping"


def test_a_bmc_that_is_busy_for_a_while_is_waited_for(site: Site) -> None:
    access = dataclasses.replace(site.access, places={"h01": site.place()})
    site.service.faults.set(Fault.BUSY, 7)
    seen = redfish.RedfishMachineReader(access, pause=0.05).look("h01", asks=3, patience=20.0)
    assert seen is not None and seen.machine is not None
    assert signature(seen) == "unknown"
    site.service.faults.set(Fault.BUSY, 7)
    assert signature(redfish.RedfishMachineReader(access, pause=0.05).look("h01", asks=3)) == "bmc-down", "the control: without patience"


def test_a_bmc_that_hangs_is_given_up(site: Site, looks: redfish.RedfishMachineReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redfish, "ASK_SECONDS", 0.3)
    site.service.faults.set(Fault.HANG)
    began = time.monotonic()
    assert signature(looks.look("h01", asks=3)) == "bmc-down"
    assert time.monotonic() - began < 10


def test_a_bmc_that_takes_its_time_is_slow(site: Site, looks: redfish.RedfishMachineReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redfish, "READ_SECONDS", 0.5)
    site.service.faults.set(Fault.SLOW)
    seen = looks.look("h01", asks=1)
    assert seen is not None and seen.machine is None and "could not be read" in seen.why
    assert signature(seen) == "bmc-slow"


def test_a_service_that_tells_little_is_read_as_far_as_it_goes() -> None:
    bare = resources.machine({"PowerState": "On", "Status": {"Health": "OK"}}, lambda _: {})
    assert bare == Machine("On", "OK")
    assert bare.since(0) is None


def test_entries_that_are_only_linked_are_read_one_by_one() -> None:
    documents: dict[str, dict[str, Any]] = {
        "/logs": {"Members": [{"@odata.id": "/logs/other"}, {"@odata.id": "/logs/sel"}]},
        "/logs/other": {"Id": "Lclog", "Entries": {"@odata.id": "/nowhere"}},
        "/logs/sel": {"Id": "Sel", "Entries": {"@odata.id": "/entries"}},
        "/entries": {"Members": [{"@odata.id": "/e/8"}, {"@odata.id": "/e/7"}]},
        "/e/7": {"Id": "7", "Severity": "OK", "Message": "power on"},
        "/e/8": {"Id": "8", "Message": "something"},
    }
    found = resources.machine({"LogServices": {"@odata.id": "/logs"}}, lambda path: documents.get(path, {}))
    assert found.log == (Entry(7, "OK", "power on"), Entry(8, "Critical", "something")), "a weight nobody tells is taken for the worst"
    assert (found.log_last, found.since(7)) == (8, (Entry(8, "Critical", "something"),))
    assert found.since(5) is None, "what came between is not told"


class ScriptedLooks:
    """Answers once it is let."""

    def __init__(self, seen: OutOfBandReading | None) -> None:
        self.seen = seen
        self.let = threading.Event()
        self.asked: list[tuple[str, int]] = []
        self.patience = -1.0

    def look(self, host: str, *, asks: int, patience: float = 0.0) -> OutOfBandReading | None:
        self.asked.append((host, asks))
        self.patience = patience
        assert self.let.wait(20)
        return self.seen


GOOD = OutOfBandReading(None, Machine("On", "OK", 4.0, log_last=5))


def claim_of(attempt: int = 1, **changes: Any) -> Claim:
    return Claim(job("h02", **changes), "c", attempt, "1.17.3.1", 30, 0.0)


def test_who_is_looked_at_and_how_closely() -> None:
    outer = spec.read({"bmc": {"memoryGib": 4}})
    assert asks_for(claim_of()) == 0
    assert asks_for(claim_of(mode=REIMAGE)) is None, "that looks by itself"
    assert asks_for(claim_of(attempt=2)) is None
    assert asks_for(claim_of(facts={LOG: "3"})) is None
    assert asks_for(claim_of(step=Step.HEALTH)) is None
    assert asks_for(claim_of(step=Step.HEALTH, spec=outer)) == 0
    assert asks_for(claim_of(step=Step.VERIFY, spec=outer)) is None
    assert asks_for(claim_of(step=Step.REPAIR, repair=Repair.DIAGNOSE)) == redfish.ASKS
    assert asks_for(claim_of(step=Step.REPAIR, repair=Repair.VERIFY)) is None


def test_a_job_that_cannot_do_without_its_bmc_has_patience_with_it() -> None:
    outer = spec.read({"bmc": {"memoryGib": 4}})

    def patience(claim: Claim) -> float:
        looks = ScriptedLooks(GOOD)
        looks.let.set()
        Watch(looks, [claim], 300.0).of("h02")
        return looks.patience

    health = claim_of(step=Step.HEALTH, spec=outer)
    assert patience(health) == min(300.0, health.job.deadline_seconds / 2)
    assert patience(claim_of()) == 0.0, "an update does without"


def test_a_look_that_fails_or_does_not_end_is_none() -> None:
    class Broken:
        def look(self, host: str, *, asks: int, patience: float = 0.0) -> OutOfBandReading | None:
            raise RuntimeError("a mistake")

    seen = Watch(Broken(), [claim_of()]).of("h02")
    assert seen is not None and seen.machine is None
    assert Watch(None, [claim_of()]).of("h02") is None


def with_looks(board: FakeBoard, player: ScriptedPlayer, step: Step, looks: redfish.MachineReader) -> JobSet:
    made = work_set(board, player, step)
    return JobSet(board, player, step, list(made._open.values()), threading.Event(), looks=looks)


def test_an_update_tells_what_its_machine_was_like_before() -> None:
    board, looks = FakeBoard(job("h02")), ScriptedLooks(GOOD)
    looks.let.set()
    with_looks(board, ScriptedPlayer(all_good), Step.UPDATE, looks).run()
    [result] = board.results.values()
    assert (result.outcome, result.facts[LOG], result.facts[MEMORY_GIB]) == (Outcome.DONE, "5", "4.0")


def test_a_play_goes_on_while_a_bmc_takes_its_time() -> None:
    """A play that is not read is not told of its leases, and would end."""
    wants = spec.read({"bmc": {"memoryGib": 4}})
    board = FakeBoard(job("h01", Step.HEALTH, facts=EARLIER, spec=wants), job("h02", Step.HEALTH, facts=EARLIER))
    looks = ScriptedLooks(GOOD)

    def script(claims: list[Claim], stop: Callable[[], bool]) -> Iterator[TaskReport]:
        for host in ("h01", "h02"):
            yield TaskReport(host, "before", TaskReports("ok", facts=facts(2)))
            yield TaskReport(host, "end", TaskReports("ok"))
        assert board.wait_result("g17.Health.h02.4").outcome is Outcome.DONE
        looks.let.set()

    with_looks(board, ScriptedPlayer(script), Step.HEALTH, looks).run()
    assert looks.asked == [("h01", 0)]
    assert [board.results[f"g17.Health.{host}.4"].outcome for host in ("h01", "h02")] == [Outcome.DONE] * 2


def test_a_diagnosis_knows_what_the_bmc_says() -> None:
    board, looks = FakeBoard(job("h02", Step.REPAIR, repair=Repair.DIAGNOSE, facts={MEMORY_GIB: "8.0"})), ScriptedLooks(GOOD)
    looks.let.set()

    def read(claims: list[Claim], stop: Callable[[], bool]) -> Iterator[TaskReport]:
        yield TaskReport("h02", "before", TaskReports("ok", facts=facts(2)))
        yield TaskReport("h02", "end", TaskReports("ok"))

    with_looks(board, ScriptedPlayer(read), Step.REPAIR, looks).run()
    [result] = board.results.values()
    assert result.facts["diagnosis.signature"] == "lost-memory"
    assert result.facts["diagnosis.evidence"] == "memory.percent: got 50, want under 95"
