"""Whole re-images of machines in memory: what goes wrong on the way, who dies on the way, and what is never done."""

from __future__ import annotations

import dataclasses
import threading

import pytest

from drydock_api.client import BoardError
from drydock_remediation import crash
from drydock_remediation.health.baseline import LOG, MEMORY_GIB
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.lease import Lease
from drydock_remediation.parallel_jobs import ParallelJobSet
from drydock_remediation.records import Claim, Outcome
from drydock_remediation.reimage.decide import Do, Past
from drydock_remediation.reimage.facts import BmcState, HostState
from drydock_remediation.reimage.host import NotDone
from drydock_remediation.reimage.run import reimage

from .fakes import FakeBoard
from .reimage_attempt import STRAIGHT, Attempt, Died, dies_once
from .reimage_world import SimulatedBmc, SimulatedHost, SimulatedMachine, reimage_job


def test_nothing_more_is_done_once_the_time_of_the_job_is_over() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)
    read = attempt.bmc.read

    def slow(seconds: float, *, tasks: bool) -> BmcState:
        world.now += attempt.work.claim.job.deadline_seconds + 1 if world.sent else 0
        return read(seconds, tasks=tasks)

    attempt.bmc.read = slow  # type: ignore[method-assign]
    result = attempt.run()
    assert (result.outcome, world.sent) == (Outcome.UNKNOWN, STRAIGHT[:1])
    assert "the time of the job is over" in result.message


def test_a_host_goes_straight_to_a_new_system_with_its_data() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)
    result = attempt.run()
    assert result.outcome is Outcome.DONE, result.message
    assert world.sent == STRAIGHT
    assert (world.system, world.medium, world.override, world.data) == (("new-1", "2.0"), "", "Disabled", "data")
    assert result.facts["changed"] == "true"
    assert result.facts["bootIdBefore"] == "boot-1" != result.facts["bootId"]
    assert result.facts["dataSums"] == result.facts["dataSumsBefore"]
    assert (attempt.bmc.closed, attempt.host.fenced) == (1, 1)
    assert (result.facts[LOG], result.facts[MEMORY_GIB]) == ("1", "4.0"), "as it was before anything was done"


def test_whose_time_ends_disarms_first() -> None:
    """Whoever starts the host later must not wipe it."""
    world = SimulatedMachine()
    attempt = Attempt(world)
    world.once_done(Do.BOOT_ONCE, lambda: setattr(world, "now", world.now + attempt.work.claim.job.deadline_seconds - 100))
    result = attempt.run()
    assert (result.outcome, "the time of the job is over" in result.message) == (Outcome.UNKNOWN, True)
    assert (world.medium, world.override, world.system) == ("", "Disabled", ("old", "1.0"))


def test_nothing_begins_that_the_board_does_not_note() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)
    attempt.board.errors = [BoardError("no answer"), BoardError("no such action", 400)]
    result = attempt.run()
    assert (result.outcome, "no such action" in result.message) == (Outcome.FAILED, True)
    assert world.sent == [Do.KEEP]


def test_who_takes_over_tells_nothing_of_before() -> None:
    world = SimulatedMachine()
    SimulatedHost(world).keep()
    result = Attempt(world, attempt=2).run()
    assert result.outcome is Outcome.DONE, result.message
    assert LOG not in result.facts, "what it would read is of after"


def test_a_host_that_was_given_up_tells_what_was_before_too() -> None:
    result = Attempt(SimulatedMachine(installer_fails=9)).run()
    assert result.outcome is Outcome.FAILED
    assert result.facts[LOG] == "1"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", STRAIGHT)
def test_who_dies_before_or_after_any_effect_is_followed_by_one_who_repeats_nothing_that_came_about(
    point: Do, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, died = SimulatedMachine(), list[str]()
    name = f"operator-reimage-{point.name.lower()}-{'done' if after else 'due'}"

    def reach(here: str) -> None:
        if here == name and not died:
            died.append(here)
            raise Died

    monkeypatch.setattr(crash, "reach", reach)
    with pytest.raises(Died):
        Attempt(world).run()
    result = Attempt(world, 2).run()
    assert result.outcome is Outcome.DONE, result.message
    assert sorted(world.sent) == sorted(STRAIGHT), "each effect once, whoever did it"
    assert result.facts["bootIdBefore"] == "boot-1"


def test_a_system_that_does_not_shut_down_is_forced_and_only_after_it_was_asked() -> None:
    world = SimulatedMachine(ignores_button=True)
    result = Attempt(world).run()
    assert result.outcome is Outcome.DONE, result.message
    assert world.sent.index(Do.SHUT_DOWN) < world.sent.index(Do.FORCE_OFF)
    assert world.sent.count(Do.SHUT_DOWN) == world.sent.count(Do.FORCE_OFF) == 1


def test_control_who_takes_a_machine_that_starts_for_one_that_is_off_installs_it_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    saw = Past.saw
    monkeypatch.setattr(Past, "saw", lambda self, *looked: dataclasses.replace(saw(self, *looked), started_at=None))
    world = SimulatedMachine()
    Attempt(world).run()
    assert world.sent.count(Do.BOOT_ONCE) == 2


@pytest.mark.parametrize("fault", ["installer_fails", "installer_hangs"])
def test_an_installer_gets_a_second_try(fault: str) -> None:
    world = SimulatedMachine()
    setattr(world, fault, 1)
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent.count(Do.POWER_ON) == 2


def test_an_installer_that_never_gets_through_is_a_failure_and_the_host_stays_off() -> None:
    world = SimulatedMachine(installer_fails=99)
    result = Attempt(world).run()
    assert (result.outcome, world.power) == (Outcome.FAILED, "Off")
    assert "installer left it powered off 2 times" in result.message


def test_an_installer_that_hangs_for_ever_leaves_the_host_unknown() -> None:
    result = Attempt(SimulatedMachine(installer_hangs=99)).run()
    assert result.outcome is Outcome.UNKNOWN
    assert "no system answered" in result.message


def test_a_machine_that_boots_its_disk_whatever_it_is_told_has_failed() -> None:
    world = SimulatedMachine(ignores_override=True)
    result = Attempt(world).run()
    assert result.outcome is Outcome.FAILED
    assert world.system == ("old", "1.0")


def test_changed_data_are_never_a_success() -> None:
    result = Attempt(SimulatedMachine(loses_data=True)).run()
    assert result.outcome is Outcome.FAILED
    assert "/data/records/owner.txt" in result.message


def test_a_record_that_vanished_with_the_data_partition_is_never_a_success() -> None:
    result = Attempt(SimulatedMachine(empties_data=True)).run()
    assert result.outcome is Outcome.FAILED
    assert "record on its data partition is gone" in result.message


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", STRAIGHT[:-1])
def test_whoever_comes_later_does_not_take_an_emptied_partition_for_the_data(
    point: Do, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = SimulatedMachine(empties_data=True)
    dies_once(f"operator-reimage-{point.name.lower()}-{'done' if after else 'due'}", monkeypatch)
    with pytest.raises(Died):
        Attempt(world).run()
    result = Attempt(world, 2).run()
    assert result.outcome is Outcome.FAILED, result.message
    assert "record on its data partition is gone" in result.message
    assert world.sent.count(Do.KEEP) == 1
    assert Attempt(world, round=5, facts=result.facts).run().outcome is Outcome.FAILED, "nor does the next round"
    assert world.sent.count(Do.KEEP) == 1


def test_a_host_that_answers_before_it_can_is_looked_at_again() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)
    read = attempt.host.read

    def early() -> HostState:
        if world.boots > 1 and world.now < world.busy_until + 20:
            raise NotDone("code 74: /data is not mounted")
        return read()

    attempt.host.read = early  # type: ignore[method-assign]
    assert attempt.run().outcome is Outcome.DONE


def test_a_host_that_never_can_leaves_its_last_word() -> None:
    attempt = Attempt(SimulatedMachine())

    def never() -> HostState:
        raise NotDone("code 74: /data is not mounted")

    attempt.host.read = never  # type: ignore[method-assign]
    result = attempt.run()
    assert result.outcome is Outcome.UNKNOWN
    assert "/data is not mounted" in result.message


def test_a_host_on_which_somebody_writes_to_the_data_is_not_installed() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)

    def writes() -> None:
        raise NotDone("code 1: something writes to the data partition: /data/log, open in web 75")

    attempt.host.keep = writes  # type: ignore[method-assign]
    result = attempt.run()
    assert (result.outcome, world.sent) == (Outcome.FAILED, [])
    assert result.message.endswith("something writes to the data partition: /data/log, open in web 75")


def test_a_host_that_has_seen_a_newer_token_is_left_at_once() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)

    def refuse() -> None:
        raise NotDone("code 75: token 1.17.3.1 is older than 1.17.3.2", fenced_off=True)

    attempt.host.fence = refuse  # type: ignore[method-assign]
    result = attempt.run()
    assert (result.outcome, world.sent) == (Outcome.FAILED, [])


def test_what_is_in_the_drive_already_is_ejected_first() -> None:
    world = SimulatedMachine(medium="http://elsewhere/rescue.iso")
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent[:3] == [Do.KEEP, Do.EJECT, Do.INSERT]


def test_a_host_that_is_off_and_was_not_begun_is_started_to_be_read() -> None:
    world = SimulatedMachine(power="Off")
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent == [Do.POWER_ON, *STRAIGHT]


def test_the_job_ends_without_a_result_when_the_lease_is_lost_and_the_session_is_closed() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)
    attempt.work.lease.valid = lambda: world.now < 1004  # type: ignore[method-assign]
    assert attempt.reimaging.run() is None
    assert attempt.bmc.closed == 1
    assert Do.POWER_ON not in world.sent


def test_nothing_is_sent_that_could_outlive_the_lease() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)
    attempt.work.lease.ends_at = lambda: world.now + 1.0  # type: ignore[method-assign]
    attempt.work.lease.valid = lambda: world.now < 1100  # type: ignore[method-assign]
    assert attempt.reimaging.run() is None
    assert world.sent == []


def test_a_set_reports_each_host_and_refuses_one_without_a_bmc() -> None:
    board = FakeBoard(reimage_job())

    class Machines:
        def host(self, claim: Claim) -> SimulatedHost:
            return SimulatedHost(SimulatedMachine())

        def bmc(self, host: str) -> SimulatedBmc | None:
            return None

    claim = board.claim(reimage_job().id, "me")
    assert claim is not None
    lease = Lease(board, claim)
    stopping = threading.Event()
    ParallelJobSet(board, [ClaimedWork(claim, lease)], lambda work: reimage(work, Machines(), stopping), stopping).run()
    result = board.results[claim.job.id]
    assert result.outcome is Outcome.FAILED
    assert "nobody said where its BMC is" in result.message
