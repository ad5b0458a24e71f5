"""The checker of the soak on those who wait: left alone, passed by whoever eats of their budget, or by one without a ticket."""

import itertools

import pytest
from soak_script import LEASE, SECOND, Script, gone, put

from drydock_lab.waiting import wait_until
from drydock_soak.checker import overdue_tickets, queue
from drydock_soak.checker.records import ReportedState
from drydock_soak.checker.state import Budget
from drydock_soak.nemesis import CLIENTS_PAUSED, GRANTOR_PAUSED, LEADER_FAULTS, STOOD_STILL, Done
from drydock_soak.stall_detector import StallDetector

TWO = Budget(2)


def stuck(script: Script, *faults: Done, budget: Budget | None = None) -> list[str]:
    """Who is named once nothing has happened for a while."""
    replay = queue.Replay(budget).all(script.add(put("end", "", script.next)).commits)
    assert replay.violations == []
    return [str(violation).split()[1] for violation in overdue_tickets.check_owed(replay.debts.all(), faults)[0]]


def fault(begin: int, end: int, kind: str = GRANTOR_PAUSED) -> Done:
    return Done(kind, "g1", begin * SECOND, end * SECOND)


def test_who_lacks_nothing_and_waits_on_is_stuck() -> None:
    assert stuck(Script().take("a", "h1").later(16)) == ["a"]
    assert stuck(Script().take("a", "h1").later(14)) == []
    assert stuck(Script().take("a", "h1").later(14).grant("a", "h1").later(60)) == []


def gives_up(after: int, patience: int) -> list[str]:
    """A queue that never serves one ticket, whose client goes away in the end."""
    script = Script().take("first", "h1").grant("first", "h1").take("a", "h1").later(after).add(gone("tickets/a/0"), gone("alive/a"))
    told = [
        ReportedState(0, "c1-0", "take", "a", {"seconds": patience}),
        ReportedState(after * SECOND, "c1-0", "gave up", "a", {"reason": "not granted in time"}),
    ]
    assert stuck(script) == []
    return [violation.rule for violation in overdue_tickets.check_patience(told)]


def test_who_gives_up_after_a_long_time_does_not_hide_that_it_was_never_served() -> None:
    assert gives_up(120, patience=120) == ["stuck"]
    assert gives_up(120, patience=5) == [], "it meant to go sooner, and was not answered"
    assert stuck(Script().take("a", "h1").later(120).add(gone("tickets/a/0"), gone("alive/a"))) == ["a"]


def test_who_lacks_something_is_not() -> None:
    assert stuck(Script().take("first", "h1").grant("first", "h1").take("a", "h1", "h2").take("b", "h2").later(60)) == []
    full = Script().take("x", "h1", "h2").grant("x", "h1", "h2").take("a", "h3").later(60)
    assert stuck(full, budget=TWO) == []
    assert stuck(full.release("x", "h1", "h2").later(16), budget=TWO) == ["a"]
    uncounted = Budget(1, frozenset({"h1", "h2"}))
    assert stuck(Script().take("x", "h1").grant("x", "h1").take("a", "h3").later(16), budget=uncounted) == ["a"]


def test_it_is_counted_from_when_it_began_to_lack_nothing() -> None:
    script = Script().take("first", "h1").grant("first", "h1").take("a", "h1").later(60).release("first", "h1")
    assert stuck(script.later(14)) == []
    assert stuck(script.later(2)) == ["a"]


def test_a_lock_of_the_dead_keeps_others_waiting_for_a_lease_more() -> None:
    def dead(lease: int = LEASE) -> Script:
        return Script().take("x", "h1").grant("x", "h1", lease=lease).take("a", "h1").later(60).expire("x")

    assert stuck(dead().later(LEASE + 14)) == []
    assert stuck(dead().later(LEASE + 16)) == ["a"]
    assert stuck(dead(lease=0).later(3600 + 14)) == [], "nobody wrote down how long it is"
    assert stuck(dead(lease=0).later(3600 + 16)) == ["a"]
    assert stuck(dead().later(LEASE).lapse("x", "h1").later(14)) == []
    assert stuck(dead().later(LEASE).lapse("x", "h1").later(16)) == ["a"]


def test_a_place_of_the_dead_keeps_nobody_waiting() -> None:
    script = Script().take("x", "h1", "h2").expire("x").take("a", "h1").later(16)
    assert stuck(script) == ["x", "a"]


def test_a_try_is_answered_whatever_is_in_its_way() -> None:
    script = Script().take("x", "h1").grant("x", "h1").take("a", "h1", mode="TRY")
    assert stuck(script.later(16)) == ["a"]


@pytest.mark.parametrize("kind", [*LEADER_FAULTS, GRANTOR_PAUSED, STOOD_STILL])
def test_time_of_a_fault_excuses_and_counts_once(kind: str) -> None:
    script = Script().take("a", "h1").later(36)
    assert stuck(script, fault(5, 26, kind), fault(10, 20)) == []
    assert stuck(script, fault(5, 24, kind), fault(10, 20)) == ["a"]
    assert stuck(script, fault(5, 26, CLIENTS_PAUSED)) == ["a"]


def test_a_machine_that_stands_still_is_noticed() -> None:
    beating = StallDetector(itertools.count(0, 5 * SECOND).__next__)
    wait_until(lambda: bool(beating.missed), 10, "a beat that was missed")
    assert beating.finish()[0].kind == STOOD_STILL


def eats(clock: bool = True, mode: str = "WAIT", spent: float = 0) -> Script:
    """The budget of two lets h3 alone; a waits for more of it, and b comes later."""
    script = Script().take("x", "h1").grant("x", "h1").take("a", "h2", "h3").take("b", "h4", mode=mode)
    return (script.clock("a", spent=spent) if clock else script).later(20).grant("b", "h4", until=50)


def test_who_eats_of_a_budget_that_somebody_waits_for_starts_the_clock() -> None:
    assert eats().broken(TWO) == set()
    assert eats(clock=False).broken(TWO) == {"share"}
    assert eats(clock=False).broken(Budget(3, frozenset({"h1", "h2", "h3", "h4"}))) == {"share"}
    assert eats(clock=False).broken(Budget(2, frozenset({"h1", "h2", "h3"}))) == set(), "what it takes does not count"
    assert eats(clock=False).broken(Budget(4)) == set(), "there is enough for both"


def test_it_is_seen_although_the_budget_was_full_until_now() -> None:
    script = Script().take("x", "h1").grant("x", "h1").take("y", "h5").grant("y", "h5").take("a", "h2", "h3").take("b", "h4")
    assert script.release("y", "h5").grant("b", "h4", until=50).broken(TWO) == {"share"}


def test_nobody_waits_for_a_budget_longer_than_anybody_may_be_passed() -> None:
    assert eats(spent=1700).broken(TWO) == set()
    assert eats(spent=1820).broken(TWO) == {"share"}


@pytest.mark.parametrize(("lasts", "most", "broken"), [(40, 2, set()), (40, 3, {"order"}), (80, 2, {"order"}), (0, 2, {"order"})])
def test_nothing_says_when_who_waits_for_a_budget_alone_begins(lasts: int, most: int, broken: set[str]) -> None:
    """c would be gone before a begins at 50, but for the budget; d waits behind it, and e goes before both until 60."""
    script = Script().take("first", "h1").grant("first", "h1", until=50).take("a", "h1", "h2").clock("a")
    script.take("c", "h2", "h3", lasts=lasts).clock("c").take("d", "h3").clock("d").take("e", "h3").later(20)
    assert script.grant("e", "h3", until=60).broken(Budget(most)) == broken


@pytest.mark.parametrize(("most", "earlier", "broken"), [(3, "alive", set()), (4, "alive", {"order"}), (3, "gone", {"order"})])
def test_who_comes_after_others_in_the_same_budget_cannot_begin_before_them(most: int, earlier: str, broken: set[str]) -> None:
    """Decided in one pass: first gets two of three, so a waits, and b is gone before first can be; b's is written down first."""
    script = Script().take("first", "h1", "h2").take("a", "h3", "h4").clock("a").take("b", "h3")
    if earlier == "gone":
        script.expire("first").later(11)
    assert script.grant("b", "h3", until=50).broken(Budget(most)) == broken


def test_a_try_eats_of_nothing_that_somebody_waits_for() -> None:
    assert eats(mode="TRY").broken(TWO) == {"share"}


def test_whoever_has_waited_for_its_budget_only_a_moment_may_not_have_been_seen() -> None:
    script = Script().take("x", "h1").grant("x", "h1").take("y", "h2").take("a", "h2", "h3").take("b", "h4")
    script.add(gone("tickets/y/0"), gone("alive/y")).later(1)
    assert script.grant("b", "h4", until=50).broken(TWO) == set()


@pytest.mark.parametrize(("seconds", "broken"), [(0, set()), (11, {"share"})])
def test_whose_host_lapses_in_a_pass_was_not_seen_by_what_that_pass_grants(seconds: int, broken: set[str]) -> None:
    """One pass ends y, writes down that x lapsed, and grants b: it decided while x was in the way of a."""
    script = Script().take("x", "h2").grant("x", "h2").take("y", "h5").grant("y", "h5").take("a", "h2", "h3").take("b", "h4")
    script.expire("x").expire("y").later(LEASE).lapse("y", "h5")
    script.lapse("x", "h2").later(seconds).add(gone("sessions/y"))
    assert script.grant("b", "h4", until=50).broken(TWO) == broken


def test_nobody_is_granted_without_a_ticket() -> None:
    assert Script().take("a", "h1").add(gone("tickets/a/0")).grant_without_ticket("a", "h1").broken() == {"granted without a ticket"}
    assert "granted without a ticket" in Script().grant_without_ticket("a", "h1").broken()
    assert "granted without a ticket" in Script().grant_without_ticket("a", "h1", kind="BATCH").broken()
