"""Rounds of re-images of a machine in memory: each is told what those before it have kept, and none forgets what they lost."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drydock_remediation.records import Outcome, Result
from drydock_remediation.reimage.decide import Do, Order, Reply

from .reimage_attempt import STRAIGHT, Attempt, Died, dies_once
from .reimage_world import MEDIUM, PATIENCE, SimulatedMachine


def next_round(world: SimulatedMachine, *before: Result, number: int = 5) -> Result:
    """It is told what all earlier ones have reported."""
    return Attempt(world, round=number, facts={name: value for result in before for name, value in result.facts.items()}).run()


def test_the_next_round_installs_where_the_one_before_brought_another_version() -> None:
    world = SimulatedMachine(brings="1.9")
    first = Attempt(world).run()
    assert (first.outcome, "the installed image is 1.9" in first.message) == (Outcome.FAILED, True)
    assert (world.medium, world.override) == ("", "Disabled")
    world.brings = "2.0"
    world.sent.clear()
    second = next_round(world, first)
    assert second.outcome is Outcome.DONE, second.message
    assert (world.sent, world.system) == (STRAIGHT, ("new-2", "2.0"))
    assert second.facts["dataSumsBefore"] == "data", "as they were before the first"


def test_what_the_first_installation_lost_no_later_round_calls_good() -> None:
    """Nor where the system of that installation comes back in between, as its own did."""
    world = SimulatedMachine(brings="1.9", loses_data=True)
    first = Attempt(world).run()
    world.brings, world.loses_data, world.ignores_override = "2.0", False, True
    second = next_round(world, first)
    assert "came back with its old system" in second.message
    world.ignores_override = False
    third = next_round(world, first, second, number=7)
    assert third.outcome is Outcome.FAILED
    assert "/data/records/owner.txt" in third.message


def test_what_its_old_system_wrote_after_it_came_back_is_no_loss() -> None:
    world = SimulatedMachine(ignores_override=True)
    first = Attempt(world).run()
    assert "came back with its old system" in first.message
    world.ignores_override, world.data = False, "written since"
    second = next_round(world, first)
    assert second.outcome is Outcome.DONE, second.message
    assert second.facts["dataSumsBefore"] == "written since"


def test_what_was_written_after_a_round_that_ended_well_is_no_loss() -> None:
    world = SimulatedMachine()
    first = Attempt(world).run()
    world.data = "written since"
    second = next_round(world, first)
    assert second.outcome is Outcome.DONE, second.message
    assert world.sent == [*STRAIGHT, *STRAIGHT]


@pytest.mark.parametrize("fault", ["", "loses_data", "empties_data"])
def test_a_host_that_the_round_before_left_without_a_system_is_installed_and_proven_against_what_that_kept(fault: str) -> None:
    world = SimulatedMachine(installer_fails=2)
    first = Attempt(world).run()
    assert (first.outcome, world.power, world.system, world.medium) == (Outcome.FAILED, "Off", None, "")
    world.sent.clear()
    if fault:
        setattr(world, fault, True)
    second = next_round(world, first)
    assert second.outcome is (Outcome.FAILED if fault else Outcome.DONE), second.message
    assert world.sent[:3] == [Do.INSERT, Do.BOOT_ONCE, Do.POWER_ON]
    assert Do.KEEP not in world.sent
    if not fault:
        world.data = "written since"
        third = next_round(world, first, second, number=7)
        assert third.outcome is Outcome.DONE, third.message


@pytest.mark.parametrize("point", [Do.INSERT, Do.BOOT_ONCE, Do.POWER_ON, Do.EJECT])
def test_who_dies_while_a_host_without_a_system_is_installed_is_followed_by_one_who_goes_on(
    point: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = SimulatedMachine(installer_fails=2)
    first = Attempt(world).run()
    world.sent.clear()
    dies_once(f"operator-reimage-{point.name.lower()}-due", monkeypatch)
    with pytest.raises(Died):
        next_round(world, first)
    second = Attempt(world, 2, round=5, facts=first.facts).run()
    assert second.outcome is Outcome.DONE, second.message
    assert sorted(world.sent) == sorted([Do.INSERT, Do.BOOT_ONCE, Do.POWER_ON, Do.EJECT]), "each effect once, whoever did it"


@pytest.mark.parametrize("point", ["power_on-done", "eject-due", "eject-done"])
def test_a_round_that_nobody_told_the_end_of_is_known_to_the_next(point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its operator died, and no other came before its time was over; the installer had emptied the data partition."""
    world = SimulatedMachine(empties_data=True)
    dies_once(f"operator-reimage-{point}", monkeypatch)
    with pytest.raises(Died):
        Attempt(world).run()
    forgotten = dataclasses.replace(world, facts={}, sent=[], kept={}, empties_data=False)
    result = Attempt(world, round=5).run()
    assert (result.outcome, "record on its data partition is gone" in result.message) == (Outcome.FAILED, True), result.message
    assert Attempt(forgotten, round=5).run().outcome is Outcome.DONE, "the control: a board that was not told"


def test_a_host_that_was_left_without_a_system_is_installed_by_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    world = SimulatedMachine(installer_fails=1)
    dies_once("operator-reimage-power_on-done", monkeypatch)
    with pytest.raises(Died):
        Attempt(world).run()
    assert world.system is None
    assert Attempt(world, round=5).run().outcome is Outcome.DONE


def test_who_dies_after_giving_up_leaves_a_host_that_the_next_attempt_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    world = SimulatedMachine(installer_fails=2)
    dies_once("operator-reimage-eject-done", monkeypatch)
    with pytest.raises(Died):
        Attempt(world).run()
    assert (world.system, world.medium) == (None, "")
    result = Attempt(world, 2).run()
    assert result.outcome is Outcome.DONE, result.message


def test_an_installer_of_the_round_before_that_still_runs_is_waited_for() -> None:
    world = SimulatedMachine(installer_hangs=9)
    first = Attempt(world).run()
    assert first.outcome is Outcome.UNKNOWN
    assert world.medium == MEDIUM, "it may still read from it"
    world.installer_hangs, world.system, world.busy_until = 0, ("late", "2.0"), world.now + PATIENCE.install / 2
    world.sent.clear()
    second = next_round(world, first)
    assert second.outcome is Outcome.DONE, second.message
    assert world.sent == [Do.EJECT, *STRAIGHT], "it is installed once more, in order"


@pytest.mark.parametrize("fault", ["installer_fails", "no_power_on", "ignores_override", "no_shutdown"])
def test_a_host_that_was_given_up_would_not_boot_the_medium(fault: str) -> None:
    world = SimulatedMachine()
    if fault == "installer_fails":
        world.installer_fails = 9
    elif fault == "ignores_override":
        world.ignores_override = True
    else:
        stuck = (Do.POWER_ON,) if fault == "no_power_on" else (Do.SHUT_DOWN, Do.FORCE_OFF)
        world.refused = lambda do: "not licensed" if do in stuck else ""
    result = Attempt(world).run()
    assert result.outcome is Outcome.FAILED, result.message
    assert (world.medium, world.override) == ("", "Disabled")


WAYS = st.fixed_dictionaries(
    {
        "brings": st.sampled_from(["2.0", "1.9"]),
        "loses_data": st.booleans(),
        "empties_data": st.booleans(),
        "ignores_override": st.booleans(),
        "installer_fails": st.integers(0, 2),
    }
)
DEATHS = st.lists(st.integers(1, 9), max_size=2)


ROUNDS = st.lists(st.tuples(WAYS, DEATHS, st.booleans()), min_size=1, max_size=4)


@given(ROUNDS)
@settings(deadline=None, max_examples=150)
def test_no_round_ends_well_once_an_installation_lost_data(rounds: list[tuple[dict[str, Any], list[int], bool]]) -> None:
    """Whatever comes of each round, and however often its operator dies: after `deaths` effects of an attempt. A round that is not
    `told` ends without a result: the board gives it up."""
    world, lost = SimulatedMachine(), False
    for number, (way, deaths, told) in enumerate(rounds):
        for name, value in way.items():
            setattr(world, name, value)
        result = None
        for attempt, effects in enumerate([*deaths, *([0] if told else [])], start=1):
            if (result := dying(Attempt(world, attempt, round=3 + 2 * number), effects)) is not None:
                break
        assert result is not None or not told
        lost = lost or world.data == "other"
        assert not (lost and result is not None and result.outcome is Outcome.DONE), result


def dying(attempt: Attempt, effects: int) -> Result | None:
    """None: it died after so many effects, 0 is never."""
    act, sent = attempt.bmc.act, [0]

    def counted(do: Do, order: Order, seconds: float) -> Reply:
        answer = act(do, order, seconds)
        sent[0] += 1
        if sent[0] == effects:
            raise Died
        return answer

    attempt.bmc.act = counted  # type: ignore[method-assign]
    try:
        return attempt.run()
    except Died:
        return None
