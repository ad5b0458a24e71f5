"""Whole re-images of machines in memory: what goes wrong on the way, who dies on the way, and what is never done."""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter
from collections.abc import Callable

import pytest

from drydock_remediation import crash
from drydock_remediation.board import BoardError
from drydock_remediation.each import EachSet
from drydock_remediation.health.baseline import LOG, MEMORY_GIB
from drydock_remediation.jobset import Work
from drydock_remediation.lease import Lease
from drydock_remediation.records import Claim, Outcome
from drydock_remediation.reimage.decide import Do, Past, Reply
from drydock_remediation.reimage.facts import BmcState, HostState
from drydock_remediation.reimage.host import NotDone
from drydock_remediation.reimage.run import reimage

from .fakes import FakeBoard
from .reimage_attempt import STRAIGHT, Attempt, Died, dies_once
from .reimage_world import MEDIUM, PATIENCE, World, WorldBmc, WorldHost, reimage_job


def test_nothing_more_is_done_once_the_time_of_the_job_is_over() -> None:
    world = World()
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
    world = World()
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
    world = World()
    attempt = Attempt(world)
    hold(world, Do.BOOT_ONCE, lambda: setattr(world, "now", world.now + attempt.work.claim.job.deadline_seconds - 100))
    result = attempt.run()
    assert (result.outcome, "the time of the job is over" in result.message) == (Outcome.UNKNOWN, True)
    assert (world.medium, world.override, world.system) == ("", "Disabled", ("old", "1.0"))


def test_a_task_that_never_ends_is_given_up_and_what_cannot_be_taken_back_is_told() -> None:
    world = World()
    hold(world, Do.BOOT_ONCE, lambda: setattr(world, "tasks", ("Boot",)))
    world.unanswered = lambda do: do is Do.BOOT_ONCE
    began = world.now
    result = Attempt(world).run()
    assert result.outcome is Outcome.UNKNOWN
    assert "not quiet for 600 s: Boot" in result.message
    assert f"it would boot {MEDIUM} when it is started" in result.message
    assert world.now - began < 900, "it was not waited for as long as an installation may take"


def test_nothing_begins_that_the_board_does_not_note() -> None:
    world = World()
    attempt = Attempt(world)
    attempt.board.errors = [BoardError("no answer"), BoardError("no such action", 400)]
    result = attempt.run()
    assert (result.outcome, "no such action" in result.message) == (Outcome.FAILED, True)
    assert world.sent == [Do.KEEP]


def hold(world: World, after: Do, then: Callable[[], None]) -> None:
    do = world.do

    def held(what: Do) -> None:
        do(what)
        if what is after:
            then()

    world.do = held  # type: ignore[method-assign,assignment]


def test_a_bmc_that_does_not_tell_what_its_machine_is_like_stops_nothing() -> None:
    result = Attempt(World(tells_nothing=True)).run()
    assert result.outcome is Outcome.DONE, result.message
    assert LOG not in result.facts


def test_who_takes_over_tells_nothing_of_before() -> None:
    world = World()
    WorldHost(world).keep()
    result = Attempt(world, attempt=2).run()
    assert result.outcome is Outcome.DONE, result.message
    assert LOG not in result.facts, "what it would read is of after"


def test_a_host_that_was_given_up_tells_what_was_before_too() -> None:
    result = Attempt(World(installer_fails=9)).run()
    assert result.outcome is Outcome.FAILED
    assert result.facts[LOG] == "1"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", STRAIGHT)
def test_who_dies_before_or_after_any_effect_is_followed_by_one_who_repeats_nothing_that_came_about(
    point: Do, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, died = World(), list[str]()
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


@pytest.mark.parametrize("done", [True, False], ids=["done", "not done"])
@pytest.mark.parametrize("effect", STRAIGHT[1:])
def test_an_effect_without_an_answer_is_looked_for_before_it_is_sent_again(effect: Do, done: bool) -> None:
    world, lost = World(), list[float]()

    def once(do: Do) -> bool:
        if do is effect and not lost:
            lost.append(world.now)
            return True
        return False

    if done:
        world.unanswered = once
    else:
        world.lost = once
    result = Attempt(world).run()
    assert result.outcome is Outcome.DONE, result.message
    if effect is Do.SHUT_DOWN and not done:
        assert world.sent.count(Do.FORCE_OFF) == 1, "the button that nobody pressed is followed by force"
        return
    assert world.sent.count(effect) == (1 if done else 2)


def often_lost(times: int) -> World:
    """Of each effect the first requests do not arrive."""
    world, count = World(), Counter[Do]()

    def lost(do: Do) -> bool:
        count[do] += 1
        return count[do] <= times

    world.lost = lost
    return world


def test_a_request_that_does_not_arrive_says_nothing_of_its_effect() -> None:
    """A BMC that loses much is tried for longer than one that answers and does nothing."""
    world = often_lost(PATIENCE.vain + 1)
    assert Attempt(world).run().outcome is Outcome.DONE
    never = Attempt(often_lost(PATIENCE.effects)).run()
    assert (never.outcome, "its BMC did not answer that 15 times" in never.message) == (Outcome.FAILED, True)
    idle = World(refused=lambda do: "not now" if do is Do.INSERT else "")
    assert "insert the medium had no effect 5 times: not now" in Attempt(idle).run().message


def test_control_without_looking_first_an_effect_would_be_sent_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A BMC that is slow to show what it did, and an operator that takes every silence for a settled state."""
    did = Past.did
    monkeypatch.setattr(Past, "did", lambda self, step, view, now, reply, *a: did(self, step, view, now, Reply.OVER, *a))
    assert _slow_insert().count(Do.INSERT) > 1


def test_an_effect_that_shows_late_is_not_sent_again() -> None:
    assert _slow_insert().count(Do.INSERT) == 1


def _slow_insert() -> list[Do]:
    world = World()
    shown, do = [0.0], world.do

    def slowly(what: Do) -> None:
        if what is Do.INSERT:
            shown[0], world.tasks = shown[0] or world.now + 35, ("Insert",)
        else:
            do(what)

    def tick() -> None:
        World.tick(world)
        if shown[0] and world.now >= shown[0] and not world.medium and Do.EJECT not in world.sent:
            world.medium = MEDIUM
            world.tasks = ()

    world.do = slowly  # type: ignore[method-assign,assignment]
    world.tick = tick  # type: ignore[method-assign]
    world.unanswered = lambda what: what is Do.INSERT
    Attempt(world).run()
    return world.sent


def test_a_system_that_does_not_shut_down_is_forced_and_only_after_it_was_asked() -> None:
    world = World(ignores_button=True)
    result = Attempt(world).run()
    assert result.outcome is Outcome.DONE, result.message
    assert world.sent.index(Do.SHUT_DOWN) < world.sent.index(Do.FORCE_OFF)
    assert world.sent.count(Do.SHUT_DOWN) == world.sent.count(Do.FORCE_OFF) == 1


def test_control_who_takes_a_machine_that_starts_for_one_that_is_off_installs_it_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    saw = Past.saw
    monkeypatch.setattr(Past, "saw", lambda self, *looked: dataclasses.replace(saw(self, *looked), started_at=None))
    world = World()
    Attempt(world).run()
    assert world.sent.count(Do.BOOT_ONCE) == 2


@pytest.mark.parametrize("fault", ["installer_fails", "installer_hangs"])
def test_an_installer_gets_a_second_try(fault: str) -> None:
    world = World()
    setattr(world, fault, 1)
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent.count(Do.POWER_ON) == 2


def test_an_installer_that_never_gets_through_is_a_failure_and_the_host_stays_off() -> None:
    world = World(installer_fails=99)
    result = Attempt(world).run()
    assert (result.outcome, world.power) == (Outcome.FAILED, "Off")
    assert "installer left it powered off 2 times" in result.message


def test_an_installer_that_hangs_for_ever_leaves_the_host_unknown() -> None:
    result = Attempt(World(installer_hangs=99)).run()
    assert result.outcome is Outcome.UNKNOWN
    assert "no system answered" in result.message


def test_a_machine_that_boots_its_disk_whatever_it_is_told_has_failed() -> None:
    world = World(ignores_override=True)
    result = Attempt(world).run()
    assert result.outcome is Outcome.FAILED
    assert world.system == ("old", "1.0")


def test_changed_data_are_never_a_success() -> None:
    result = Attempt(World(loses_data=True)).run()
    assert result.outcome is Outcome.FAILED
    assert "/data/records/owner.txt" in result.message


def test_a_record_that_vanished_with_the_data_partition_is_never_a_success() -> None:
    result = Attempt(World(empties_data=True)).run()
    assert result.outcome is Outcome.FAILED
    assert "record on its data partition is gone" in result.message


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", STRAIGHT[:-1])
def test_whoever_comes_later_does_not_take_an_emptied_partition_for_the_data(
    point: Do, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(empties_data=True)
    dies_once(f"operator-reimage-{point.name.lower()}-{'done' if after else 'due'}", monkeypatch)
    with pytest.raises(Died):
        Attempt(world).run()
    result = Attempt(world, 2).run()
    assert result.outcome is Outcome.FAILED, result.message
    assert "record on its data partition is gone" in result.message
    assert world.sent.count(Do.KEEP) == 1
    assert Attempt(world, round=5, facts=result.facts).run().outcome is Outcome.FAILED, "nor does the next round"
    assert world.sent.count(Do.KEEP) == 1


def test_a_bmc_that_is_away_for_a_while_is_waited_for_and_one_that_stays_away_leaves_the_host_unknown() -> None:
    assert Attempt(World(silent_until=1100.0)).run().outcome is Outcome.DONE
    world = World(silent_until=1e9)
    result = Attempt(world).run()
    assert (result.outcome, world.sent) == (Outcome.UNKNOWN, [])


def test_a_bmc_that_refuses_is_believed_at_last() -> None:
    world = World(refused=lambda do: "409 no licence for virtual media" if do is Do.INSERT else "")
    result = Attempt(world).run()
    assert result.outcome is Outcome.FAILED
    assert "no licence" in result.message
    assert (world.power, world.boots) == ("On", 1), "the host still runs its old system"


def test_a_host_that_answers_before_it_can_is_looked_at_again() -> None:
    world = World()
    attempt = Attempt(world)
    read = attempt.host.read

    def early() -> HostState:
        if world.boots > 1 and world.now < world.busy_until + 20:
            raise NotDone("code 74: /data is not mounted")
        return read()

    attempt.host.read = early  # type: ignore[method-assign]
    assert attempt.run().outcome is Outcome.DONE


def test_a_host_that_never_can_leaves_its_last_word() -> None:
    attempt = Attempt(World())

    def never() -> HostState:
        raise NotDone("code 74: /data is not mounted")

    attempt.host.read = never  # type: ignore[method-assign]
    result = attempt.run()
    assert result.outcome is Outcome.UNKNOWN
    assert "/data is not mounted" in result.message


def test_a_host_on_which_somebody_writes_to_the_data_is_not_installed() -> None:
    world = World()
    attempt = Attempt(world)

    def writes() -> None:
        raise NotDone("code 1: something writes to the data partition: /data/log, open in web 75")

    attempt.host.keep = writes  # type: ignore[method-assign]
    result = attempt.run()
    assert (result.outcome, world.sent) == (Outcome.FAILED, [])
    assert result.message.endswith("something writes to the data partition: /data/log, open in web 75")


def test_a_host_that_has_seen_a_newer_token_is_left_at_once() -> None:
    world = World()
    attempt = Attempt(world)

    def refuse() -> None:
        raise NotDone("code 75: token 1.17.3.1 is older than 1.17.3.2", fenced_off=True)

    attempt.host.fence = refuse  # type: ignore[method-assign]
    result = attempt.run()
    assert (result.outcome, world.sent) == (Outcome.FAILED, [])


def test_what_is_in_the_drive_already_is_ejected_first() -> None:
    world = World(medium="http://elsewhere/rescue.iso")
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent[:3] == [Do.KEEP, Do.EJECT, Do.INSERT]


def test_a_host_that_is_off_and_was_not_begun_is_started_to_be_read() -> None:
    world = World(power="Off")
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent == [Do.POWER_ON, *STRAIGHT]


def test_the_job_ends_without_a_result_when_the_lease_is_lost_and_the_session_is_closed() -> None:
    world = World()
    attempt = Attempt(world)
    attempt.work.lease.valid = lambda: world.now < 1004  # type: ignore[method-assign]
    assert attempt.reimaging.run() is None
    assert attempt.bmc.closed == 1
    assert Do.POWER_ON not in world.sent


def test_nothing_is_sent_that_could_outlive_the_lease() -> None:
    world = World()
    attempt = Attempt(world)
    attempt.work.lease.ends_at = lambda: world.now + 1.0  # type: ignore[method-assign]
    attempt.work.lease.valid = lambda: world.now < 1100  # type: ignore[method-assign]
    assert attempt.reimaging.run() is None
    assert world.sent == []


def test_a_set_reports_each_host_and_refuses_one_without_a_bmc() -> None:
    board = FakeBoard(reimage_job())

    class Machines:
        def host(self, claim: Claim) -> WorldHost:
            return WorldHost(World())

        def bmc(self, host: str) -> WorldBmc | None:
            return None

    claim = board.claim(reimage_job().id, "me")
    assert claim is not None
    lease = Lease(board, claim)
    stopping = threading.Event()
    EachSet(board, [Work(claim, lease)], lambda work: reimage(work, Machines(), stopping), stopping).run()
    result = board.results[claim.job.id]
    assert result.outcome is Outcome.FAILED
    assert "nobody said where its BMC is" in result.message


@pytest.mark.parametrize("sends", [Do.SHUT_DOWN, Do.POWER_ON, Do.BOOT_ONCE, Do.INSERT])
def test_a_predecessors_request_that_arrives_late_finds_nobody_acting(sends: Do) -> None:
    """It was under way when its sender died. Until the BMC is quiet its successor only looks."""
    world = World()
    Attempt(world).host.keep()
    world.sent.clear()
    late = [world.now + 8]
    quiet: list[Do] = []
    tick = world.tick

    def then() -> None:
        tick()
        if late and world.now >= late[0]:
            late.clear()
            quiet.extend(world.sent)
            world.do(sends)

    world.tick = then  # type: ignore[method-assign]
    result = Attempt(world, 2).run()
    assert result.outcome is Outcome.DONE, result.message
    assert quiet == [], "nothing was sent before"
