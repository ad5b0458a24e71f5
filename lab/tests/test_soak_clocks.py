"""The checker of the soak on what is not to be told by a clock that jumps: holds with a maximum, and who goes before whom."""

import pytest
from soak_script import LEASE, SECOND, Script, gone, put
from test_soak_checker import waits_for_first

from drydock_soak.checker import claims
from drydock_soak.checker.backfill import Bounds
from drydock_soak.checker.records import ReportedState

MAXIMUM = 60  # seconds


def polled() -> Script:
    return Script().take("a", "h1", mode="FLEETLOCK").hold("a", "h1", MAXIMUM)


def ended(script: Script) -> Script:
    return script.add(gone("locks/h1"), put("ended/h1", {"lockId": "a", "by": "grantor"}, script.next))


@pytest.mark.parametrize(("seconds", "broken"), [(0, {"taken too early"}), (MAXIMUM - 2, {"taken too early"}), (MAXIMUM, set())])
def test_a_hold_is_ended_by_nobody_before_its_maximum(seconds: int, broken: set[str]) -> None:
    """A grantor that trusted its wall clock would end it as soon as that jumps ahead."""
    assert ended(polled().later(seconds).lapse("a", "h1")).broken() == broken


def test_a_hold_that_nobody_wrote_down_as_overdue_is_not_taken() -> None:
    assert ended(polled().later(MAXIMUM)).broken() == {"taken too early"}
    excludes = polled().later(MAXIMUM).lapse("a", "h1").take("b", "h1")
    assert "double grant" in excludes.grant("b", "h1").broken()


def test_its_client_may_end_it_at_any_time_and_lives_by_no_key() -> None:
    script = polled()
    script.add(gone("locks/h1"), put("ended/h1", {"lockId": "a", "by": "c1-0"}, script.next))
    replay = script.replay()
    assert replay.violations == [] and (replay.lapses, replay.overdue) == (0, 0)


def test_a_client_that_loses_its_hold_before_its_maximum_says_so() -> None:
    held = ReportedState(1 * SECOND, "c1-0", "held", "a", {"tokens": {"h1": 5}, "until": 9 * SECOND, "hold": True})

    def lost(second: int) -> list[str]:
        found = claims.claims([held, ReportedState(second * SECOND, "c1-0", "lost", "a")])
        return [violation.rule for violation in (*claims.check_claims(found), *claims.check_leases(found, polled().commits))]

    assert lost(8) == ["lost early"]
    assert lost(10) == []


def test_who_polls_goes_before_nobody_and_ends_at_no_time() -> None:
    script = Script().take("a", "h1", "h2").clock("a").take("b", "h2", mode="FLEETLOCK")
    assert script.hold("b", "h2", 5).broken() == {"order"}
    script = Script().take("x", "h1", mode="FLEETLOCK").hold("x", "h1", 5).take("a", "h1", "h2").clock("a").take("b", "h2")
    assert script.grant("b", "h2", until=500).broken() == set(), "nothing says when a hold ends"


BOUNDS = Bounds(longest=90, margin=15)
GONE = LEASE + 15 - 10  # After its maximum, for certain.


@pytest.mark.parametrize("margin", [15, 30])
def test_who_goes_before_is_gone_with_its_lease_and_the_margin(margin: int) -> None:
    bounds = Bounds(longest=1800, margin=margin)
    until = 100 - LEASE - margin + 10
    assert waits_for_first(100).grant("b", "h2", until=until).broken(bounds=bounds) == set()
    assert waits_for_first(100).grant("b", "h2", until=until + 1).broken(bounds=bounds) == {"order"}


def test_nobody_is_passed_for_longer_than_was_configured() -> None:
    assert waits_for_first(0).grant("b", "h2", until=90 - GONE).broken(bounds=BOUNDS) == set()
    assert waits_for_first(0).grant("b", "h2", until=90 - GONE + 1).broken(bounds=BOUNDS) == {"order"}
    assert waits_for_first(0).grant("b", "h2", until=91).broken() == set(), "the usual bounds"


def test_what_one_clock_decided_and_another_wrote_down_is_not_judged() -> None:
    def jumped(at: int) -> set[str]:
        script = waits_for_first(50).later(20).grant("b", "h2", until=3650)
        return script.broken(clocks_set=[at * SECOND])

    assert jumped(15) == set()
    assert jumped(5) == {"order"}, "it had decided by then"
    assert jumped(21) == {"order"}, "it was set later"
