"""A host is switched off and on once per round, by an operator that reaches its BMC; what nobody can tell is not done again."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drydock_remediation import crash
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.lease import Lease
from drydock_remediation.operator import Operator
from drydock_remediation.records import Claim, Job, Outcome, Repair, Result, Step
from drydock_remediation.reimage.access import BmcAccess
from drydock_remediation.reimage.decide import EFFECTS, Do, Reply
from drydock_remediation.reimage.facts import OFF, ON, BmcState
from drydock_remediation.reimage.host import NotDone
from drydock_remediation.repairs.power_cycle import PowerCycling, power_cycle
from drydock_remediation.repairs.power_cycle_decisions import Past, next_step

from .fakes import FakeBoard, ScriptedPlayer, all_good, job
from .reimage_attempt import Died
from .reimage_world import MEDIUM, PATIENCE, SimulatedBmc, SimulatedHost, SimulatedMachine
from .test_operator import SETTINGS

STRAIGHT = [Do.SHUT_DOWN, Do.POWER_ON]
HUNG = float("inf")


def cycle_job(diagnosed: str = "boot-1") -> Job:
    known = {"diagnosis.bootId": diagnosed} if diagnosed else {}
    return job("h02", Step.REPAIR, repair=Repair.POWER_CYCLE, mode="PowerCycle", facts=known, deadline_seconds=1800)


class Attempt:
    """One attempt at the job, which a test may end at any effect."""

    def __init__(self, world: SimulatedMachine, attempt: int = 1, diagnosed: str = "boot-1") -> None:
        claim = Claim(cycle_job(diagnosed), "claim", attempt, f"1.17.3.{attempt}", 60, boot_clock())
        self.work = ClaimedWork(claim, Lease(FakeBoard(), claim))
        self.bmc, self.host = SimulatedBmc(world), SimulatedHost(world)
        self.cycling = PowerCycling(self.work, self.host, self.bmc, threading.Event(), PATIENCE, world.clock)
        self.work.lease.ends_at = lambda: world.now + 60  # type: ignore[method-assign]

    def run(self) -> Result:
        result = self.cycling.run()
        assert result is not None
        return result


def test_a_host_that_answers_is_shut_down_in_order_and_started() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)
    result = attempt.run()
    assert (result.outcome, result.message) == (Outcome.DONE, "h02 was switched off and on")
    assert (world.sent, world.boots) == (STRAIGHT, 2)
    assert (attempt.bmc.closed, attempt.host.fenced) == (1, 1)


def test_a_host_that_hangs_is_forced_off() -> None:
    world = SimulatedMachine(busy_until=HUNG)
    assert Attempt(world).run().outcome is Outcome.DONE
    assert (world.sent, world.boots) == ([Do.SHUT_DOWN, Do.FORCE_OFF, Do.POWER_ON], 2)


def test_a_host_that_is_off_is_started() -> None:
    world = SimulatedMachine(power=OFF)
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent == [Do.POWER_ON]


@pytest.mark.parametrize("hung", [False, True], ids=["answers", "hangs"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("point", [Do.SHUT_DOWN, Do.FORCE_OFF, Do.POWER_ON])
def test_who_dies_on_the_way_is_followed_by_one_who_starts_it_no_second_time(
    point: Do, after: bool, hung: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, died = SimulatedMachine(busy_until=HUNG if hung else 0.0), list[str]()
    name = f"operator-powercycle-{point.name.lower()}-{'done' if after else 'due'}"

    def reach(here: str) -> None:
        if here == name and not died:
            died.append(here)
            raise Died

    monkeypatch.setattr(crash, "reach", reach)
    if hung or point is not Do.FORCE_OFF:
        with pytest.raises(Died):
            Attempt(world).run()
        assert died == [name]
    # One that hangs or starts cannot say which boot it is: that it is on is left to the reading that follows.
    told = world.answers or world.power == OFF
    result = Attempt(world, 2).run()
    assert result.outcome is (Outcome.DONE if told else Outcome.UNKNOWN), result.message
    assert world.sent.count(Do.POWER_ON) <= 1
    assert world.boots <= 2


def test_a_later_attempt_that_learns_nothing_does_nothing() -> None:
    """The control of the next: with a diagnosed boot it goes on."""
    world = SimulatedMachine()
    result = Attempt(world, 2, diagnosed="").run()
    assert (result.outcome, world.sent) == (Outcome.UNKNOWN, [])
    assert "does not tell" in result.message


def test_a_later_attempt_reads_which_boot_it_is() -> None:
    world = SimulatedMachine()
    assert Attempt(world, 2).run().outcome is Outcome.DONE
    assert world.sent == STRAIGHT
    world.sent.clear()
    world.now += 60
    result = Attempt(world, 2).run()
    assert (result.outcome, world.sent) == (Outcome.DONE, [])
    assert "by an earlier attempt" in result.message


def test_who_was_overtaken_on_the_host_touches_nothing() -> None:
    world = SimulatedMachine()
    attempt = Attempt(world)

    def fence() -> None:
        raise NotDone("older token", fenced_off=True)

    attempt.host.fence = fence  # type: ignore[method-assign]
    assert (attempt.run().outcome, world.sent) == (Outcome.UNKNOWN, [])


def test_nothing_is_sent_while_somebody_elses_request_is_under_way() -> None:
    world = SimulatedMachine(tasks=("Reset On",))
    tick = world.tick

    def later() -> None:
        tick()
        if world.now >= 1060:
            world.tasks = ()
        assert world.now >= 1060 + PATIENCE.settle or not world.sent

    world.tick = later  # type: ignore[method-assign]
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.now > 1060 + PATIENCE.settle


@pytest.mark.parametrize("lost", [True, False], ids=["on the way there", "on the way back"])
@pytest.mark.parametrize("effect", STRAIGHT)
def test_an_effect_without_an_answer_is_read_before_anything_is_sent_again(effect: Do, lost: bool) -> None:
    """Whether it came about is seen; what was lost on the way there is sent again."""
    world, once = SimulatedMachine(), [effect]
    first = lambda do: do in once and not once.remove(do)  # type: ignore[func-returns-value] # noqa: E731
    world.lost, world.unanswered = (first, lambda _: False) if lost else (lambda _: False, first)
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.boots == 2


@pytest.mark.parametrize("power", [ON, OFF])
@pytest.mark.parametrize(("override", "target", "medium"), [("Once", "Cd", MEDIUM), ("Continuous", "Cd", "http://elsewhere/rescue.iso")])
def test_a_machine_that_would_boot_a_medium_is_left_as_it_is(power: str, override: str, target: str, medium: str) -> None:
    world = SimulatedMachine(power=power, override=override, target=target, medium=medium)
    result = Attempt(world).run()
    assert (result.outcome, world.sent) == (Outcome.FAILED, [])
    assert f"would boot {medium}" in result.message


@pytest.mark.parametrize(("override", "target", "medium"), [("Once", "Cd", ""), ("Disabled", "Cd", MEDIUM), ("Continuous", "Hdd", MEDIUM)])
def test_control_one_that_boots_its_disk_is_switched_off_and_on(override: str, target: str, medium: str) -> None:
    world = SimulatedMachine(override=override, target=target, medium=medium)
    assert Attempt(world).run().outcome is Outcome.DONE
    assert world.sent == STRAIGHT


def test_a_bmc_that_stays_silent_or_refuses_ends_it() -> None:
    silent = SimulatedMachine(silent_until=HUNG)
    result = Attempt(silent).run()
    assert (result.outcome, silent.sent) == (Outcome.FAILED, [])
    refusing = SimulatedMachine(refused=lambda do: "not licensed" if do is not Do.SHUT_DOWN else "", ignores_button=True)
    result = Attempt(refusing).run()
    assert result.outcome is Outcome.UNKNOWN, "it was asked to shut down"
    assert result.message.endswith("not licensed")
    assert refusing.boots == 1


def test_a_machine_that_does_not_go_on_any_more_is_given_up_soon() -> None:
    dead = SimulatedMachine(refused=lambda do: "power supply failed" if do is Do.POWER_ON else "")
    result = Attempt(dead).run()
    assert result.outcome is Outcome.FAILED, "it is known to be off"
    assert result.message == "h02 is off, and power on had no effect 3 times: power supply failed"
    assert dead.boots == 1


@given(
    st.lists(st.tuples(st.sampled_from([ON, OFF, "PoweringOn", None]), st.sampled_from(Reply), st.integers(1, 40)), max_size=60),
    st.booleans(),
)
def test_it_is_never_done_unless_it_was_off_and_never_started_while_it_is_on(
    looks: list[tuple[str | None, Reply, int]], untold: bool
) -> None:
    past, now, off = Past(untold=untold), 0.0, False
    for power, reply, seconds in looks:
        now += seconds
        bmc = BmcState(power, "Disabled", "None", "") if power else None
        past = past.saw(bmc, now, PATIENCE)
        off = off or power == OFF
        step = next_step("h02", bmc, past, PATIENCE, now)
        if isinstance(step, Result):
            assert off or step.outcome is not Outcome.DONE
            return
        if step.do in EFFECTS:
            assert bmc is not None
            assert past.settled
            assert not untold or off
            assert step.do is not Do.POWER_ON or off
            past = past.did(step.do, now, reply, "")


class Machines:
    def __init__(self, world: SimulatedMachine, *, bmc: bool) -> None:
        self._host, self._bmc = SimulatedHost(world), SimulatedBmc(world) if bmc else None

    def host(self, claim: Claim) -> SimulatedHost:
        return self._host

    def bmc(self, host: str) -> SimulatedBmc | None:
        return self._bmc


def test_a_host_whose_bmc_nobody_knows_is_not_touched() -> None:
    attempt = Attempt(SimulatedMachine())
    result = power_cycle(attempt.work, Machines(SimulatedMachine(), bmc=False), threading.Event())
    assert result is not None
    assert (result.outcome, "nobody said where its BMC is" in result.message) == (Outcome.FAILED, True)


def test_only_an_operator_that_reaches_bmcs_takes_such_jobs() -> None:
    wanted = cycle_job()
    board = FakeBoard(wanted)
    Operator(board, ScriptedPlayer(all_good), SETTINGS, threading.Event()).take()
    assert list(board.open) == [wanted.id]
    able = dataclasses.replace(SETTINGS, bmcs=BmcAccess("drydock", Path("p"), Path("c"), {}))
    player = ScriptedPlayer(all_good)
    operator = Operator(board, player, able, threading.Event(), Machines(SimulatedMachine(), bmc=False))
    assert operator.take() == 1
    operator.join()
    assert "BMC" in board.results[wanted.id].message
    assert player.played == [], "it is no play"
