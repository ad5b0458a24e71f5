"""What is due, look by look; and what never is, whatever is seen."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from drydock_remediation.records import Outcome
from drydock_remediation.reimage.decide import EFFECTS, Do, Past, Tried, next_step
from drydock_remediation.reimage.facts import BmcState, HostState, Kept, View

from .fakes import facts
from .reimage_world import MEDIUM, ORDER, PATIENCE

KEPT = Kept("boot-1", "old", "sums", 3, "manifest")
RUNNING = BmcState("On", "Disabled", "None", "")
SETTLED = Past(0.0, settled=True)
OLD = HostState(facts(1, machine_id="old", image_version="1.0"), KEPT)
NEW = HostState(facts(2, machine_id="new", image_version="2.0"), KEPT)


def due(view: View, past: Past = SETTLED, now: float = 100.0) -> Do:
    return next_step(view, past, ORDER, PATIENCE, now).do


def bmc(**changes: str) -> BmcState:
    return dataclasses.replace(RUNNING, **changes)  # type: ignore[arg-type]


def test_the_way_of_a_host_that_answers() -> None:
    untouched = dataclasses.replace(OLD, kept=None)
    assert due(View(RUNNING, untouched)) is Do.KEEP
    assert due(View(RUNNING, OLD)) is Do.INSERT
    assert due(View(bmc(medium="http://other"), OLD)) is Do.EJECT
    assert due(View(bmc(medium=MEDIUM), OLD)) is Do.SHUT_DOWN
    assert due(View(bmc(medium=MEDIUM), NEW)) is Do.EJECT
    assert due(View(bmc(override="Once", target="Cd"), NEW)) is Do.CLEAR_BOOT
    assert due(View(RUNNING, NEW)) is Do.PROVE


def test_the_way_of_a_machine_that_is_off() -> None:
    assert due(View(bmc(power="Off", medium=MEDIUM), None)) is Do.BOOT_ONCE
    assert due(View(bmc(power="Off", medium=MEDIUM, override="Once", target="Cd"), None)) is Do.POWER_ON
    assert due(View(bmc(power="Off"), None), dataclasses.replace(SETTLED, kept=True)) is Do.INSERT
    assert due(View(bmc(power="Off"), None)) is Do.POWER_ON, "it was not begun: its own system is to be read first"


def test_between_on_and_off_nothing_is_due() -> None:
    for power in ("PoweringOn", "PoweringOff", "Paused", "None"):
        assert due(View(bmc(power=power, medium=MEDIUM), None)) is Do.WAIT
        assert due(View(bmc(power=power, medium=MEDIUM), OLD)) is Do.WAIT


def test_a_machine_that_was_started_is_off_only_if_it_stays_off() -> None:
    view = View(bmc(power="Off", medium=MEDIUM), None)
    started = dataclasses.replace(SETTLED, kept=True, installs=1, started_at=100.0, off_at=90.0)
    assert due(view, started, 129.0) is Do.WAIT
    assert due(view, started, 131.0) is Do.BOOT_ONCE
    again = dataclasses.replace(started, off_at=200.0)
    assert due(view, again, 229.0) is Do.WAIT, "the moment between two starts"
    assert due(view, again, 231.0) is Do.BOOT_ONCE


def test_force_comes_after_the_time_for_an_orderly_shutdown() -> None:
    pressed = dataclasses.replace(SETTLED, kept=True, pressed_at=100.0)
    for host in (OLD, None):
        assert due(View(bmc(medium=MEDIUM), host), pressed, 159.0) is Do.WAIT
        assert due(View(bmc(medium=MEDIUM), host), pressed, 161.0) is Do.FORCE_OFF


def test_another_version_than_the_one_ordered_is_a_failure() -> None:
    view = View(RUNNING, dataclasses.replace(NEW, facts=facts(2, machine_id="new", image_version="1.9")))
    step = next_step(view, SETTLED, ORDER, PATIENCE, 0.0)
    assert (step.do, step.outcome) == (Do.GIVE_UP, Outcome.FAILED)


def test_the_same_effect_on_the_same_state_gets_its_time_and_then_is_given_up() -> None:
    view = View(bmc(medium="http://other"), OLD)
    past = dataclasses.replace(SETTLED, tried=Tried(Do.EJECT, view.bmc, at=100.0))
    assert due(view, past, 129.0) is Do.WAIT
    assert due(view, past, 131.0) is Do.EJECT
    vain = dataclasses.replace(past, tried=Tried(Do.EJECT, view.bmc, at=100.0, vain=PATIENCE.vain - 1))
    assert due(view, vain, 131.0) is Do.GIVE_UP


def test_effects_without_end_are_given_up() -> None:
    assert due(View(RUNNING, OLD), dataclasses.replace(SETTLED, effects=PATIENCE.effects)) is Do.GIVE_UP


def test_an_attempt_is_settled_at_once_only_where_nobody_can_have_begun() -> None:
    untouched = View(RUNNING, dataclasses.replace(OLD, kept=None))
    assert Past(0.0).saw(untouched, 0.0, PATIENCE).settled
    assert not Past(0.0).saw(View(RUNNING, OLD), 0.0, PATIENCE).settled
    assert not Past(0.0).saw(View(RUNNING, None), 0.0, PATIENCE).settled
    assert not Past(0.0, effects=1).saw(untouched, 0.0, PATIENCE).settled, "it has sent something itself"


def test_quiet_is_one_state_without_tasks_for_long_enough() -> None:
    def settled(*looks: tuple[float, BmcState | None]) -> bool:
        past = Past(0.0)
        for now, state in looks:
            past = past.saw(View(state, None), now, PATIENCE)
        return past.settled

    assert settled((0, RUNNING), (1, RUNNING), (14, RUNNING))
    assert not settled((0, RUNNING), (1, RUNNING), (12, RUNNING))
    off, busy = bmc(power="Off"), dataclasses.replace(RUNNING, tasks=("Reset",))
    assert not settled((0, RUNNING), (1, RUNNING), (8, off), (9, RUNNING), (14, RUNNING)), "it changed"
    assert not settled((0, busy), (1, busy), (20, busy)), "a task runs"
    assert not settled((0, RUNNING), (8, None), (14, RUNNING), (15, RUNNING)), "nobody saw what happened meanwhile"


bmcs = st.builds(
    BmcState,
    st.sampled_from(["On", "Off", "PoweringOn", "PoweringOff"]),
    st.sampled_from(["Disabled", "Once", "Continuous"]),
    st.sampled_from(["None", "Cd", "Hdd"]),
    st.sampled_from(["", MEDIUM, "http://other"]),
)
moments = st.none() | st.floats(0, 2000)
pasts = st.builds(
    Past, st.just(0.0), st.booleans(), moments, st.none(), moments, st.booleans(), moments, moments, st.integers(0, 3), st.integers(0, 50)
)
hosts = st.sampled_from([None, OLD, NEW, dataclasses.replace(OLD, kept=None)])


@given(st.none() | bmcs, hosts, pasts, st.floats(0, 3000))
def test_what_is_never_due(state: BmcState | None, host: HostState | None, past: Past, now: float) -> None:
    step = next_step(View(state, host), past, ORDER, PATIENCE, now)
    if step.do in EFFECTS:
        assert state is not None, "nothing is sent unseen"
        assert past.settled, "nothing is sent while a request of somebody else may be under way"
    if step.do is Do.BOOT_ONCE:
        assert state is not None and state.power == "Off", "a running machine could use the override up at any moment"
    if step.do is Do.FORCE_OFF:
        waited = past.pressed_at is not None and now - past.pressed_at >= PATIENCE.shutdown
        assert waited or host is None, "a system that answers is asked to shut down first"
    if step.do in (Do.SHUT_DOWN, Do.FORCE_OFF, Do.INSERT, Do.BOOT_ONCE):
        assert host is not NEW, "a new system is left running"
    if step.do in (Do.SHUT_DOWN, Do.INSERT):
        assert host is None or host.kept is not None, "the record comes first"
    assert (step.do is Do.GIVE_UP) == (step.outcome is not None)
    assert step.outcome is not Outcome.DONE, "only proof ends well"
