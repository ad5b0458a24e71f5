"""What is due, look by look; and what never is, whatever is seen."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drydock_remediation.records import Outcome
from drydock_remediation.reimage.decide import BEGINNINGS, EFFECTS, Attempts, Do, Past, Reply, Step, next_step, record_of
from drydock_remediation.reimage.facts import BmcState, Earlier, HostState, Kept, View

from .fakes import facts, job
from .reimage_world import MEDIUM, ORDER, PATIENCE

KEPT = Kept("boot-1", "old", "sums", 3, "manifest", 3, "old")
RUNNING = BmcState("On", "Disabled", "None", "")
SETTLED = Past(0.0, settled=True)
NOTED = Past(0.0, settled=True, noted=True)
KEPT_IT = dataclasses.replace(NOTED, kept=True)
OWED, PROVEN = (dataclasses.replace(SETTLED, earlier=Earlier(1, proven=proven)) for proven in (False, True))
OLD = HostState(facts(1, machine_id="old", image_version="1.0"), KEPT)
NEW = HostState(facts(2, machine_id="new", image_version="2.0"), KEPT)
UNTOUCHED = dataclasses.replace(OLD, kept=None)


def due(view: View, past: Past = SETTLED, now: float = 100.0) -> Do:
    return next_step(view, past, ORDER, PATIENCE, now).do


def bmc(**changes: str) -> BmcState:
    return dataclasses.replace(RUNNING, **changes)  # type: ignore[arg-type]


def test_the_way_of_a_host_that_answers() -> None:
    assert due(View(RUNNING, UNTOUCHED)) is Do.KEEP
    assert due(View(bmc(medium="http://other"), OLD)) is Do.EJECT
    assert due(View(RUNNING, OLD)) is Do.NOTE
    assert due(View(RUNNING, OLD), NOTED) is Do.INSERT
    assert due(View(bmc(medium=MEDIUM), OLD), NOTED) is Do.SHUT_DOWN
    assert due(View(bmc(medium=MEDIUM), NEW)) is Do.EJECT
    assert due(View(bmc(override="Once", target="Cd"), NEW)) is Do.CLEAR_BOOT
    assert due(View(RUNNING, NEW)) is Do.PROVE


def test_the_way_of_a_machine_that_is_off() -> None:
    assert due(View(bmc(power="Off"), None)) is Do.POWER_ON, "it was not begun: its own system is to be read first"
    # This attempt has seen the record, or whoever had it before has begun, or had the round before that.
    for past in (KEPT_IT, NOTED, dataclasses.replace(OWED, noted=True)):
        assert due(View(bmc(power="Off"), None), past) is Do.INSERT
        assert due(View(bmc(power="Off", medium=MEDIUM), None), past) is Do.BOOT_ONCE
        assert due(View(bmc(power="Off", medium=MEDIUM, override="Once", target="Cd"), None), past) is Do.POWER_ON


def test_what_nobody_of_the_round_has_left_at_the_bmc_begins_no_installation() -> None:
    left = bmc(medium=MEDIUM, override="Once", target="Cd")
    for power, host in (("Off", None), ("On", UNTOUCHED)):
        assert due(View(dataclasses.replace(left, power=power), host)) is Do.CLEAR_BOOT
        assert due(View(bmc(power=power, medium=MEDIUM), host)) is Do.EJECT
        assert due(View(bmc(power=power), host)) is (Do.KEEP if host else Do.POWER_ON)
    long_on = dataclasses.replace(SETTLED, on_at=0.0)
    assert due(View(bmc(medium=MEDIUM), None), long_on, 1000.0) is Do.GIVE_UP, "it is not forced off for an installation"


@pytest.mark.parametrize("do", BEGINNINGS)
def test_what_begins_is_noted_before_it_is_done(do: Do) -> None:
    """Whoever wakes up after that and finds neither a system nor data has to know."""
    pressed = dataclasses.replace(SETTLED, kept=True, pressed_at=0.0)
    way: dict[Do, tuple[View, Past]] = {
        Do.INSERT: (View(RUNNING, OLD), SETTLED),
        Do.SHUT_DOWN: (View(bmc(medium=MEDIUM), OLD), SETTLED),
        Do.FORCE_OFF: (View(bmc(medium=MEDIUM), None), pressed),
        Do.BOOT_ONCE: (View(bmc(medium=MEDIUM, power="Off"), None), dataclasses.replace(SETTLED, kept=True)),
    }
    view, past = way[do]
    assert (due(view, past), due(view, dataclasses.replace(past, noted=True))) == (Do.NOTE, do)


@pytest.mark.parametrize("medium", ["", MEDIUM])
@pytest.mark.parametrize("system", ["old", "new"])
def test_a_record_that_is_gone_is_never_replaced_by_one_of_what_is_there_now(system: str, medium: str) -> None:
    emptied = HostState(facts(2, machine_id=system, image_version="2.0"), None)
    for past in (KEPT_IT, OWED, PROVEN):
        sent, step = ways(past, View(bmc(medium=medium), emptied))
        assert (sent, step.outcome) == ([Do.EJECT] if medium else [], Outcome.FAILED), past
        assert "the record on its data partition is gone" in step.why
    assert due(View(RUNNING, emptied)) is Do.KEEP, "the control: nobody was there before"


def test_a_new_round_begins_anew_whatever_an_earlier_one_has_installed() -> None:
    """On a system of the wrong version, or of the right one; with what is still to be proven, or without."""
    for version in ("1.9", "2.0"):
        other = HostState(facts(2, machine_id="new", image_version=version), None, earlier=KEPT)
        for past in (SETTLED, OWED, PROVEN):
            assert due(View(RUNNING, other), past) is Do.KEEP


def test_an_installation_on_a_host_without_a_system_is_proven_against_what_the_round_before_kept() -> None:
    new = HostState(facts(2, machine_id="new", image_version="2.0"), None, earlier=KEPT)
    for past in (dataclasses.replace(OWED, installs=1), dataclasses.replace(OWED, noted=True)):
        assert record_of(new, past) == KEPT
        assert due(View(RUNNING, new), past) is Do.PROVE
        back = dataclasses.replace(new, facts=OLD.facts)
        assert record_of(back, past) is None
        assert due(View(RUNNING, back), past) is Do.KEEP, "its old system came back, and may have written since"


def test_results_of_earlier_rounds_tell_what_is_owed() -> None:
    def told(**facts: str) -> Earlier:
        return Earlier.of(job(facts=facts, round=5))

    assert told() == Earlier(None, proven=False)
    assert told(dataKept="g17.3", dataSumsBefore="a", dataSums="") == Earlier(3, proven=False)
    assert told(dataKept="g17.3", dataSumsBefore="", dataSums="") == Earlier(3, proven=False)
    assert told(dataKept="g17.3", dataSumsBefore="a", dataSums="b") == Earlier(3, proven=False)
    assert told(dataKept="g17.3", dataSumsBefore="a", dataSums="a") == Earlier(3, proven=True)
    assert told(dataKept="g16.3", dataSumsBefore="a", dataSums="") == Earlier(None), "of another grant"
    assert told(dataKept="g17.5", dataSumsBefore="a", dataSums="") == Earlier(None), "of this round"


def ways(past: Past, view: View) -> tuple[list[Do], Step]:
    """What is sent, where each effect comes about, and the end."""
    sent: list[Do] = []
    for now in range(100, 1000):
        step = next_step(view, past, ORDER, PATIENCE, float(now))
        if step.do is Do.GIVE_UP:
            return sent, step
        assert view.bmc is not None
        if step.do is not Do.WAIT:
            sent.append(step.do)
            past = past.did(step, view, float(now), Reply.OVER)
            change: dict[str, Any] = {Do.CLEAR_BOOT: {"override": "Disabled", "target": "None"}, Do.EJECT: {"medium": ""}}[step.do]
            view = View(dataclasses.replace(view.bmc, **change), view.host)
    raise AssertionError("it did not end")


def test_who_gives_up_leaves_nothing_that_a_start_would_set_off() -> None:
    """A host that was told to boot the medium and could not be powered on: whoever gets it on must not wipe it."""
    armed = bmc(power="Off", medium=MEDIUM, override="Once", target="Cd")
    vain = Attempts(Do.POWER_ON, armed, at=0.0, vain=PATIENCE.vain)
    sent, end = ways(dataclasses.replace(KEPT_IT, tried=vain), View(armed, None))
    assert sent == [Do.CLEAR_BOOT, Do.EJECT]
    assert (end.outcome, end.why) == (Outcome.FAILED, f"power on had no effect {PATIENCE.vain} times")


def test_who_gives_up_takes_no_medium_from_under_an_installer() -> None:
    hangs = dataclasses.replace(KEPT_IT, installs=PATIENCE.installs, on_at=0.0)
    booted = View(bmc(medium=MEDIUM), None)
    assert next_step(booted, hangs, ORDER, PATIENCE, 950.0).do is Do.GIVE_UP
    armed = View(bmc(medium=MEDIUM, override="Once", target="Cd"), None)
    assert next_step(armed, hangs, ORDER, PATIENCE, 950.0).do is Do.CLEAR_BOOT, "it has not booted it yet"


def test_what_cannot_be_taken_back_is_told() -> None:
    armed = bmc(power="Off", medium=MEDIUM, override="Once", target="Cd")
    end = Step(Do.GIVE_UP, "power on had no effect 5 times", Outcome.FAILED)
    view, tried = View(armed, None), Attempts(Do.CLEAR_BOOT, armed, at=0.0, vain=PATIENCE.vain, refusal="409 not now")
    step = next_step(view, dataclasses.replace(KEPT_IT, ending=end, tried=tried), ORDER, PATIENCE, 100.0)
    assert step.do is Do.GIVE_UP
    assert step.why == "power on had no effect 5 times; clear the boot override had no effect 5 times: 409 not now"
    silent = dataclasses.replace(KEPT_IT, ending=end, silent_since=0.0)
    assert due(View(None, None), silent, 100.0) is Do.WAIT
    assert due(View(None, None), silent, 301.0) is Do.GIVE_UP
    assert due(view, dataclasses.replace(KEPT_IT, ending=end, settled=False)) is Do.WAIT


def test_between_on_and_off_nothing_is_due() -> None:
    for power in ("PoweringOn", "PoweringOff", "Paused", "None"):
        assert due(View(bmc(power=power, medium=MEDIUM), None)) is Do.WAIT
        assert due(View(bmc(power=power, medium=MEDIUM), OLD)) is Do.WAIT


def test_a_machine_that_was_started_is_off_only_if_it_stays_off() -> None:
    view = View(bmc(power="Off", medium=MEDIUM), None)
    started = dataclasses.replace(KEPT_IT, installs=1, started_at=100.0, off_at=90.0)
    assert due(view, started, 129.0) is Do.WAIT
    assert due(view, started, 131.0) is Do.BOOT_ONCE
    again = dataclasses.replace(started, off_at=200.0)
    assert due(view, again, 229.0) is Do.WAIT, "the moment between two starts"
    assert due(view, again, 231.0) is Do.BOOT_ONCE


def test_force_comes_after_the_time_for_an_orderly_shutdown() -> None:
    pressed = dataclasses.replace(KEPT_IT, pressed_at=100.0)
    for host in (OLD, None):
        assert due(View(bmc(medium=MEDIUM), host), pressed, 159.0) is Do.WAIT
        assert due(View(bmc(medium=MEDIUM), host), pressed, 161.0) is Do.FORCE_OFF


def test_another_version_than_the_one_ordered_is_a_failure() -> None:
    view = View(RUNNING, dataclasses.replace(NEW, facts=facts(2, machine_id="new", image_version="1.9")))
    step = next_step(view, SETTLED, ORDER, PATIENCE, 0.0)
    assert (step.do, step.outcome) == (Do.GIVE_UP, Outcome.FAILED)


def test_the_same_effect_on_the_same_state_gets_its_time_and_then_is_given_up() -> None:
    view = View(bmc(medium="http://other"), OLD)
    past = dataclasses.replace(SETTLED, tried=Attempts(Do.EJECT, view.bmc, at=100.0))
    assert due(view, past, 129.0) is Do.WAIT
    assert due(view, past, 131.0) is Do.EJECT
    in_vain, lost = Attempts(Do.EJECT, view.bmc, 100.0, vain=PATIENCE.vain), Attempts(Do.EJECT, view.bmc, 100.0, lost=PATIENCE.lost)
    for tried in (in_vain, lost):
        assert due(view, dataclasses.replace(past, tried=tried), 131.0) is Do.GIVE_UP


def test_effects_without_end_are_given_up() -> None:
    assert due(View(RUNNING, OLD), dataclasses.replace(SETTLED, effects=PATIENCE.effects)) is Do.GIVE_UP


def test_an_attempt_is_settled_at_once_only_where_nobody_can_have_begun() -> None:
    untouched = View(RUNNING, UNTOUCHED)
    assert Past(0.0).saw(untouched, 0.0, PATIENCE).settled
    assert not Past(0.0).saw(View(RUNNING, OLD), 0.0, PATIENCE).settled
    assert not Past(0.0).saw(View(RUNNING, None), 0.0, PATIENCE).settled
    assert not Past(0.0, effects=1).saw(untouched, 0.0, PATIENCE).settled, "it has sent something itself"
    assert not Past(0.0, follows=True).saw(untouched, 0.0, PATIENCE).settled, "somebody was there before it"
    assert not Past(0.0, earlier=Earlier(1)).saw(untouched, 0.0, PATIENCE).settled, "and in another round"
    before = dataclasses.replace(UNTOUCHED, earlier=KEPT)
    assert not Past(0.0).saw(View(RUNNING, before), 0.0, PATIENCE).settled, "which its data partition tells"
    busy = View(dataclasses.replace(RUNNING, tasks=("Insert",)), UNTOUCHED)
    assert not Past(0.0).saw(busy, 0.0, PATIENCE).settled, "its BMC is still at something"


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
    Past,
    began_at=st.just(0.0),
    settled=st.booleans(),
    quiet_since=moments,
    silent_since=moments,
    kept=st.booleans(),
    pressed_at=moments,
    on_at=moments,
    off_at=moments,
    started_at=moments,
    installs=st.integers(0, 3),
    effects=st.integers(0, 50),
    follows=st.booleans(),
    noted=st.booleans(),
    earlier=st.sampled_from([Earlier(), Earlier(1), Earlier(1, proven=True)]),
    ending=st.sampled_from([None, Step(Do.GIVE_UP, "in vain", Outcome.FAILED)]),
).filter(lambda past: past.kept or past.earlier.owed or not past.noted)
hosts = st.sampled_from([None, OLD, NEW, UNTOUCHED, dataclasses.replace(NEW, kept=None), dataclasses.replace(NEW, kept=None, earlier=KEPT)])


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
        assert host is None or host.kept is not None, "the record comes first"
    recorded = past.begun or past.earlier.owed if host is None else host.kept is not None
    boots_medium = step.do is Do.POWER_ON and state is not None and state.override != "Disabled" and state.target == "Cd"
    if step.do in (Do.INSERT, Do.BOOT_ONCE) or (boots_medium and state is not None and state.medium):
        assert recorded, "nothing that leads to an installation comes before the record"
    if step.do is Do.FORCE_OFF:
        assert recorded or past.pressed_at is not None, "what was not begun is not cut off"
    if step.do is Do.KEEP:
        assert host is not None
        assert not past.kept, "what is left is not taken for what there was"
    if step.do in BEGINNINGS:
        assert past.noted, "whoever comes later knows what was begun"
    if past.ending is not None:
        assert step.do in (Do.WAIT, Do.CLEAR_BOOT, Do.EJECT, Do.GIVE_UP), "who gave up begins nothing"
    assert (step.do is Do.GIVE_UP) == (step.outcome is not None)
    assert step.outcome is not Outcome.DONE, "only proof ends well"
