"""Whole re-images of machines in memory whose BMCs lose requests, are slow, away, busy or refuse."""

from __future__ import annotations

from collections import Counter

import pytest

from drydock_remediation.health.baseline import LOG
from drydock_remediation.records import Mend, Outcome
from drydock_remediation.reimage.decide import Do, Past, Reply

from .reimage_attempt import STRAIGHT, Attempt
from .reimage_world import MEDIUM, PATIENCE, SimulatedMachine


def test_a_bmc_that_does_not_tell_what_its_machine_is_like_stops_nothing() -> None:
    result = Attempt(SimulatedMachine(tells_nothing=True)).run()
    assert result.outcome is Outcome.DONE, result.message
    assert LOG not in result.facts


def test_a_task_that_never_ends_is_given_up_and_what_cannot_be_taken_back_is_told() -> None:
    world = SimulatedMachine()
    world.once_done(Do.BOOT_ONCE, lambda: setattr(world, "tasks", ("Boot",)))
    world.unanswered = lambda do: do is Do.BOOT_ONCE
    began = world.now
    result = Attempt(world).run()
    assert result.outcome is Outcome.UNKNOWN
    assert "not quiet for 600 s: Boot" in result.message
    assert f"it would boot {MEDIUM} when it is started" in result.message
    assert world.now - began < 900, "it was not waited for as long as an installation may take"


@pytest.mark.parametrize("done", [True, False], ids=["done", "not done"])
@pytest.mark.parametrize("effect", STRAIGHT[1:])
def test_an_effect_without_an_answer_is_looked_for_before_it_is_sent_again(effect: Do, done: bool) -> None:
    world, lost = SimulatedMachine(), list[float]()

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


def often_lost(times: int) -> SimulatedMachine:
    """Of each effect the first requests do not arrive."""
    world, count = SimulatedMachine(), Counter[Do]()

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
    idle = SimulatedMachine(refused=lambda do: "not now" if do is Do.INSERT else "")
    assert "insert the medium had no effect 5 times: not now" in Attempt(idle).run().message


def test_control_without_looking_first_an_effect_would_be_sent_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A BMC that is slow to show what it did, and an operator that takes every silence for a settled state."""
    did = Past.did
    monkeypatch.setattr(Past, "did", lambda self, step, view, now, reply, *a: did(self, step, view, now, Reply.OVER, *a))
    assert _slow_insert().count(Do.INSERT) > 1


def test_an_effect_that_shows_late_is_not_sent_again() -> None:
    assert _slow_insert().count(Do.INSERT) == 1


def _slow_insert() -> list[Do]:
    world = SimulatedMachine()
    shown, do = [0.0], world.do

    def slowly(what: Do) -> None:
        if what is Do.INSERT:
            shown[0], world.tasks = shown[0] or world.now + 35, ("Insert",)
        else:
            do(what)

    def tick() -> None:
        SimulatedMachine.tick(world)
        if shown[0] and world.now >= shown[0] and not world.medium and Do.EJECT not in world.sent:
            world.medium = MEDIUM
            world.tasks = ()

    world.do = slowly  # type: ignore[method-assign,assignment]
    world.tick = tick  # type: ignore[method-assign]
    world.unanswered = lambda what: what is Do.INSERT
    Attempt(world).run()
    return world.sent


def test_a_bmc_that_is_away_for_a_while_is_waited_for_and_one_that_stays_away_leaves_the_host_unknown() -> None:
    assert Attempt(SimulatedMachine(silent_until=1100.0)).run().outcome is Outcome.DONE
    world = SimulatedMachine(silent_until=1e9)
    result = Attempt(world).run()
    assert (result.outcome, world.sent) == (Outcome.UNKNOWN, [])
    assert (result.begun, result.mend, result.cause) == (False, Mend.TIME, "bmc-silent"), "it is known that nothing was begun"


def test_a_bmc_that_refuses_is_believed_at_last() -> None:
    world = SimulatedMachine(refused=lambda do: "409 no licence for virtual media" if do is Do.INSERT else "")
    result = Attempt(world).run()
    assert result.outcome is Outcome.FAILED
    assert "no licence" in result.message
    assert (world.power, world.boots) == ("On", 1), "the host still runs its old system"


@pytest.mark.parametrize("sends", [Do.SHUT_DOWN, Do.POWER_ON, Do.BOOT_ONCE, Do.INSERT])
def test_a_predecessors_request_that_arrives_late_finds_nobody_acting(sends: Do) -> None:
    """It was under way when its sender died. Until the BMC is quiet its successor only looks."""
    world = SimulatedMachine()
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
