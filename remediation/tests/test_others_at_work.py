"""Nobody is switched off or installed anew while somebody else works with its packages (defence in depth: a diagnosis came before)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from drydock_remediation.records import Mend, Outcome, Result
from drydock_remediation.reimage.decide import Do
from drydock_remediation.reimage.facts import HostState

from . import reimage_attempt, test_power_cycle
from .reimage_attempt import STRAIGHT
from .reimage_world import SimulatedHost, SimulatedMachine

DPKG = "931 dpkg --configure -a, since 17:02:11"


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What works on the host; a test may empty it."""
    at_work = [DPKG]
    read = SimulatedHost.read

    def read_with_others(host: SimulatedHost) -> HostState:
        state = read(host)
        return dataclasses.replace(state, facts=dataclasses.replace(state.facts, others="; ".join(at_work)))

    monkeypatch.setattr(SimulatedHost, "read", read_with_others)
    return at_work


def untouched(result: Result) -> tuple[Any, ...]:
    return result.outcome, result.message, result.begun, result.mend, result.cause


REFUSED = (Outcome.FAILED, f"h02 was not touched: others are at work there: {DPKG}", False, Mend.TIME, "lock-held")


def test_a_power_cycle_is_refused(busy: list[str]) -> None:
    world = SimulatedMachine()
    assert untouched(test_power_cycle.Attempt(world).run()) == REFUSED
    assert world.sent == []


def test_a_re_image_is_refused_before_anything_is_kept_or_stopped(busy: list[str]) -> None:
    world = SimulatedMachine()
    assert untouched(reimage_attempt.Attempt(world).run()) == REFUSED
    assert world.sent == []


def test_one_that_has_begun_waits_for_them_and_goes_on(busy: list[str]) -> None:
    busy.clear()
    world = SimulatedMachine()
    world.once_done(Do.INSERT, lambda: busy.append(DPKG))
    shut_down = world.do

    def do(what: Do) -> None:
        assert not (what is Do.SHUT_DOWN and busy), "nobody shuts down while others work"
        shut_down(what)

    world.do = do  # type: ignore[method-assign,assignment]
    tick = world.tick

    def tick_on() -> None:
        tick()
        if world.now > 1100:
            busy.clear()

    world.tick = tick_on  # type: ignore[method-assign]
    assert reimage_attempt.Attempt(world).run().outcome is Outcome.DONE
    assert world.sent == STRAIGHT and world.now > 1100


def test_control_nobody_else_is_there(busy: list[str]) -> None:
    busy.clear()
    assert test_power_cycle.Attempt(SimulatedMachine()).run().outcome is Outcome.DONE
    assert reimage_attempt.Attempt(SimulatedMachine()).run().outcome is Outcome.DONE


def test_a_host_that_does_not_answer_keeps_nobody_from_switching_it_off(busy: list[str]) -> None:
    assert test_power_cycle.Attempt(SimulatedMachine(busy_until=float("inf"))).run().outcome is Outcome.DONE
