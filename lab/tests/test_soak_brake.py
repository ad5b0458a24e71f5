"""The checker of the soak on the fleet brake: nothing is granted while it is pulled, and within a second of being asked for it is."""

from collections.abc import Sequence

from soak_script import SECOND, Script
from test_soak_waiting import stuck

from drydock_soak.checker import brake, gaps
from drydock_soak.checker.records import ReportedState
from drydock_soak.nemesis import CLIENTS_PAUSED, FROZEN, Done


def asked(seconds: float, reason: str = "1-7", in_force: str = "1-7") -> list[ReportedState]:
    return [
        ReportedState(int(seconds * SECOND), "c1", "freeze", reason),
        ReportedState(100 * SECOND, "c1", "frozen", reason, {"brake": in_force}),
    ]


def check(script: Script, lines: Sequence[ReportedState], *faults: Done) -> tuple[list[str], float]:
    replay = script.replay()
    found, longest = brake.check_freezes(brake.freezes(lines), brake.braked(script.commits), replay.grants, faults)
    return [violation.rule for violation in (*replay.violations, *found)], longest


def granted_at(second: int, frozen_at: int) -> Script:
    """Somebody is granted a host at one time, and the brake is pulled at another, later one."""
    script = Script().take("a", "h1").later(second).grant("a", "h1")
    return script.later(frozen_at - second).freeze("1-7")


def test_a_brake_that_nobody_looks_at_is_noticed() -> None:
    frozen = Script().take("a", "h1").freeze("1-7")
    assert frozen.grant("a", "h1").broken() == {"granted while frozen"}
    assert Script().take("a", "h1").freeze("1-7").unfreeze().grant("a", "h1").broken() == set()


def test_a_second_after_it_was_asked_for_nothing_is_granted() -> None:
    assert check(granted_at(10, 13), asked(9)) == ([], 4.0)
    assert check(granted_at(10, 13), asked(8.9)) == (["granted while frozen"], 4.1)
    assert check(granted_at(10, 13), asked(11)) == ([], 2.0), "it was granted before"


def test_time_in_which_it_could_not_be_heard_of_excuses() -> None:
    def paused_until(second: int, process: str = "c1") -> tuple[list[str], float]:
        return check(granted_at(10, 13), asked(1), Done(CLIENTS_PAUSED, process, 2 * SECOND, second * SECOND))

    assert check(granted_at(10, 13), asked(1)) == (["granted while frozen"], 12.0)
    assert paused_until(3) == (["granted while frozen"], 5.0), "it was heard of from nine on"
    assert paused_until(4) == ([], 4.0)
    assert paused_until(4, process="c2") == (["granted while frozen"], 12.0), "somebody else's"


def test_an_answer_without_a_brake_is_noticed() -> None:
    assert check(Script(), asked(1)) == (["granted while frozen"], 0.0)
    assert check(Script().freeze("1-3"), asked(1, in_force="1-3")) == ([], 0.0), "that of somebody else was there"
    assert brake.freezes(asked(1)[:1]) == [], "nothing is promised before it is answered"


def thawed(*told: tuple[int, str, str]) -> list[str]:
    """A brake that was asked for at nine, and seen from ten to 15."""
    script = Script().later(10).freeze("1-7").later(5).unfreeze().later(5)
    lines = [ReportedState(at * SECOND, client, what, client) for at, client, what in told]
    return [violation.rule for violation in brake.check_lifts(brake.braked(script.commits), [*asked(9), *lines])]


def test_a_brake_that_nobody_lifted_is_missed() -> None:
    assert thawed() == ["thawed by nobody"]
    assert thawed((14, "c1", "unfreeze"), (16, "c1", "unfrozen")) == []
    assert thawed((14, "c1", "unfreeze")) == [], "never answered"
    assert thawed((7, "c1", "unfreeze"), (8, "c1", "unfrozen")) == ["thawed by nobody"], "it was over before"
    assert thawed((7, "c1", "unfreeze"), (8, "c2", "unfrozen"), (12, "c1", "unfrozen")) == [], "somebody else's answer"
    assert thawed((16, "c1", "unfreeze"), (17, "c1", "unfrozen")) == ["thawed by nobody"], "it was gone by then"


def test_what_is_seen_late_was_lifted_all_the_same() -> None:
    assert thawed((9, "c1", "unfreeze"), (9, "c1", "unfrozen")) == []


def test_a_brake_that_stands_in_the_end_needs_no_lift() -> None:
    assert brake.check_lifts(brake.braked(Script().freeze("1-7").later(5).commits), asked(0)) == []


def test_nobody_is_owed_a_host_while_the_fleet_is_frozen() -> None:
    assert stuck(Script().take("a", "h1").later(5).freeze("1-7").later(60).unfreeze().later(14)) == []
    assert stuck(Script().take("a", "h1").later(5).freeze("1-7").later(60).unfreeze().later(16)) == ["a"]
    assert stuck(Script().take("a", "h1", mode="TRY").freeze("1-7").later(16)) == ["a"], "who tries is answered"


def test_a_gap_is_told_by_the_brake() -> None:
    script = Script().later(2).freeze("1-7").later(3).unfreeze()
    frozen = brake.standstills(brake.braked(script.commits))
    assert [(one.begin, one.end) for one in frozen] == [(2 * SECOND, 5 * SECOND)]
    assert gaps.longest_gaps([1 * SECOND, 6 * SECOND], frozen) == {FROZEN: 5.0}
