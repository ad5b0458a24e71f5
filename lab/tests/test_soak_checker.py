"""The checker of the soak finds what it is there for: a sound history passes, and each broken rule is named."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from soak_script import LEASE, SECOND, Script, gone, put, released

from drydock_soak.checker import claims, gaps, queue, records
from drydock_soak.checker.queue import USUAL
from drydock_soak.checker.records import Change, Commit, ReportedState
from drydock_soak.checker.state import Budget
from drydock_soak.checker.violation import Violation
from drydock_soak.nemesis import FROZEN, GRANTOR_CLOCK, LEADER_FAULTS, LEADER_PAUSED, LONG, SHORT, Done, Fault, plan
from drydock_soak.outcome import LEAST, Histories, Report, judge
from drydock_soak.register import Effect, Register


def told(seconds: float, what: str, lock: str = "a-1-1", **details: Any) -> ReportedState:
    return ReportedState(int(seconds * SECOND), "a-1", what, lock, details)


def held(seconds: float, lock: str, until: float, **tokens: int) -> ReportedState:
    return told(seconds, "held", lock, tokens=tokens, until=int(until * SECOND))


def rules(*lines: ReportedState) -> set[str]:
    return {violation.rule for violation in claims.check_claims(claims.claims(lines))}


def test_a_sound_queue_passes() -> None:
    script = Script().take("a", "h1", "h2").take("b", "h2").take("c", "h3").grant("c", "h3").grant("a", "h1", "h2")
    script.release("a", "h1", "h2").grant("b", "h2").expire("b")
    script.later(LEASE).lapse("b", "h2").add(gone("sessions/b"))
    replay = queue.Replay(Budget(3)).all(script.commits)
    assert replay.violations == []
    assert [grant.id for grant in replay.grants] == ["c", "a", "b"]
    assert replay.lapses == 1


def test_two_locks_on_one_host_are_a_double_grant() -> None:
    script = Script().take("a", "h1").take("b", "h1").grant("a", "h1")
    assert "double grant" in script.grant("b", "h1").broken()


def test_a_lock_that_replaces_a_lock_is_a_double_grant() -> None:
    script = Script().take("a", "h1").take("b", "h1").grant("a", "h1")
    script.add(gone("tickets/b/0"), Change("locks/h1", json.dumps({"id": "b", "kind": "BATCH"}), created=4))
    assert "double grant" in script.broken()


def test_passing_an_earlier_ticket_breaks_the_order() -> None:
    assert "order" in Script().take("a", "h1", "h2").take("b", "h2").grant("b", "h2").broken()


def waits_for_first(until: int) -> Script:
    """A first lock on h1 lasts until then; somebody waits for that host and another one."""
    return Script().take("first", "h1").grant("first", "h1", until=until).take("a", "h1", "h2").clock("a").take("b", "h2")


def test_who_is_gone_before_the_first_could_begin_goes_before_it() -> None:
    replay = waits_for_first(50).grant("b", "h2", until=50).replay()
    assert replay.violations == [] and replay.passings == 1
    assert waits_for_first(0).grant("b", "h2", until=1700).broken() == set()


@pytest.mark.parametrize(("first", "until"), [(50, 51), (50, 0), (0, 0), (0, 1801)])
def test_who_may_be_there_longer_does_not(first: int, until: int) -> None:
    assert waits_for_first(first).grant("b", "h2", until=until).broken() == {"order"}


def test_nobody_is_passed_without_a_clock_or_for_too_long() -> None:
    assert waits_for_first(50).add(gone("passed/a")).grant("b", "h2", until=50).broken() == {"order"}
    assert waits_for_first(50).clock("a", spent=1790).grant("b", "h2", until=20).broken() == {"order"}
    assert waits_for_first(50).clock("a", since=None).grant("b", "h2", until=20).broken() == {"order"}


def test_a_try_goes_before_nobody() -> None:
    script = Script().take("a", "h1", "h2").clock("a").take("b", "h2", mode="TRY").grant("b", "h2", until=5)
    assert script.broken() == {"order"}


def test_two_go_before_a_third_at_once() -> None:
    script = Script().take("first", "h3").grant("first", "h3").take("a", "h1", "h2", "h3").clock("a").take("b", "h1").take("c", "h2")
    assert script.grant("b", "h1", until=5).grant("c", "h2", until=60, with_the_last=True).broken() == set()


def test_a_lock_that_went_before_counts_for_the_next_one() -> None:
    script = Script().take("first", "h1").grant("first", "h1").take("a", "h1", "h2", "h3").clock("a").take("b", "h2").take("c", "h1")
    script.grant("b", "h2", until=60).release("first", "h1")
    assert script.grant("c", "h1", until=60).broken() == set()
    assert script.release("c", "h1").take("d", "h1").grant("d", "h1", until=61).broken() == {"order"}


def test_an_end_that_the_grantor_could_not_know_of_is_forgiven() -> None:
    def ended_before(seconds: int) -> set[str]:
        script = Script().take("first", "h1").grant("first", "h1").take("second", "h3").grant("second", "h3", until=50)
        script.take("a", "h1", "h2", "h3").clock("a").take("b", "h2").later(60).release("first", "h1")
        return script.later(seconds).grant("b", "h2", until=60).broken()

    assert ended_before(1) == set()
    assert ended_before(11) == {"order"}


def test_whoever_waits_behind_a_waiter_begins_no_earlier() -> None:
    script = waits_for_first(50).take("c", "h2", "h3").clock("c").take("d", "h3")
    assert script.grant("d", "h3", until=50).broken() == set()
    script = waits_for_first(50).take("c", "h2", "h3").clock("c").take("d", "h3")
    assert script.grant("d", "h3", until=51).broken() == {"order"}


def test_a_lock_may_be_taken_once_its_term_is_over() -> None:
    for term, broken in ((False, set()), (True, {"taken from the living"})):
        script = Script().take("a", "h1").grant("a", "h1", until=5)
        script.add(put("alive/a", "5", script.next), put("term/a", "5", script.next))
        if not term:
            script.add(gone("term/a")).later(LEASE).lapse("a", "h1")
        script.add(gone("sessions/a"), gone("alive/a"), put("ended/h1", {"lockId": "a", "by": "grantor"}, script.next))
        assert script.broken() == broken


def test_a_lock_that_nobody_wrote_down_as_lapsed_excludes() -> None:
    def expired() -> Script:
        return Script().take("a", "h1").grant("a", "h1").take("b", "h1").expire("a")

    script = expired()
    assert script.add(gone("sessions/a"), put("ended/h1", {"lockId": "a", "by": "grantor"}, script.next)).broken() == {"taken too early"}
    assert expired().later(LEASE).lapse("a", "h1").add(gone("sessions/a")).broken() == set()
    assert "double grant" in expired().grant("b", "h1").broken()
    assert Script().take("a", "h1").grant("a", "h1").lapse("a", "h1").broken() == {"taken from the living"}


def expired_after(*seconds: int, lease: int = LEASE) -> Script:
    """Somebody's lock expires; something else was seen as long before as the seconds say, one after the other."""
    script = Script().take("a", "h1").grant("a", "h1", lease=lease)
    for until_the_next in seconds:
        script.add(put("end", "", script.next)).later(until_the_next)
    return script.expire("a")


@pytest.mark.parametrize(("seconds", "broken"), [(0, True), (LEASE - 2, True), (LEASE - 1, False), (LEASE, False)])
def test_a_lock_lapses_once_it_was_expired_for_a_lease(seconds: int, broken: bool) -> None:
    assert expired_after().later(seconds).lapse("a", "h1").broken() == ({"taken too early"} if broken else set())
    term = Script().take("a", "h1").grant("a", "h1", until=5)
    term.add(put("alive/a", "5", term.next), put("term/a", "5", term.next)).add(gone("term/a")).later(seconds)
    assert term.lapse("a", "h1").broken() == ({"taken too early"} if broken else set())


def test_a_lock_whose_lease_nobody_wrote_down_lapses_after_the_longest_there_is() -> None:
    assert expired_after(lease=0).later(3598).lapse("a", "h1").broken() == {"taken too early"}
    assert expired_after(lease=0).later(3600).lapse("a", "h1").broken() == set()


def test_an_expiry_read_after_a_silence_may_be_as_old_as_that() -> None:
    assert expired_after(4).later(LEASE - 4).lapse("a", "h1").broken() == set()
    assert expired_after(4, 0).later(LEASE - 4).lapse("a", "h1").broken() == set(), "not the first that was read"
    assert expired_after(4).later(LEASE - 6).lapse("a", "h1").broken() == {"taken too early"}
    assert expired_after(2, 2).later(LEASE - 4).lapse("a", "h1").broken() == {"taken too early"}, "there was no silence"


def test_each_lock_is_waited_for() -> None:
    script = Script().take("a", "h1").grant("a", "h1").expire("a").later(LEASE).lapse("a", "h1").add(gone("sessions/a"))
    script.later(2).take("b", "h1").grant("b", "h1").expire("b")
    assert script.lapse("b", "h1").broken() == {"taken too early"}


def test_passing_on_another_host_does_not() -> None:
    assert Script().take("a", "h1").take("b", "h2").grant("b", "h2").broken() == set()


def test_whoever_leaves_in_the_same_transaction_was_not_passed() -> None:
    script = Script().take("a", "h1").take("b", "h1")
    record = {"id": "b", "kind": "SESSION", "hosts": ["h1"]}
    script.add(gone("tickets/a/0"), gone("alive/a"), gone("tickets/b/0"), put("sessions/b", record, script.next))
    assert script.broken() == set()


def test_a_part_of_the_hosts_is_not_all_or_none() -> None:
    assert "all or none" in Script().take("a", "h1", "h2").grant("a", "h1").broken()


def test_a_ticket_granted_again_is_named() -> None:
    script = Script().take("a", "h1").grant("a", "h1").release("a", "h1").grant("a", "h1")
    assert "granted twice" in script.broken()


def test_a_ticket_that_enters_again_is_named() -> None:
    assert "enqueued twice" in Script().take("a", "h1").grant("a", "h1").take("a", "h1").broken()


def test_a_grant_to_a_dead_client_is_named() -> None:
    assert "granted to the dead" in Script().take("a", "h1").expire("a").grant("a", "h1").broken()


def test_a_grant_while_nobody_leads_is_named() -> None:
    assert "granted without a grantor" in Script().add(gone("grantor/leader")).take("a", "h1").grant("a", "h1").broken()


def test_a_lock_taken_from_a_living_client_is_named() -> None:
    script = Script().take("a", "h1").grant("a", "h1")
    script.add(released("a", "h1"))
    assert script.broken() == {"taken from the living"}


def test_an_end_without_a_mark_is_named() -> None:
    assert "end without a mark" in Script().take("a", "h1").grant("a", "h1").add(gone("sessions/a"), gone("alive/a")).broken()


def test_hosts_do_not_go_on_in_the_transaction_that_ends_a_lock() -> None:
    script = Script().take("a", "h1").grant("a", "h1").take("b", "h1")
    record = {"id": "b", "kind": "SESSION", "hosts": ["h1"]}
    script.add(gone("tickets/b/0"), put("sessions/b", record, script.next), released("a", "h1"), gone("alive/a"))
    assert "double grant" in script.broken()


def test_a_session_lock_may_lose_some_of_its_hosts() -> None:
    script = Script().take("a", "h1", "h2").take("b", "h2").grant("a", "h1", "h2").expire("a")
    script.later(LEASE).lapse("a", "h1", "h2")
    record = {"id": "a", "kind": "SESSION", "hosts": ["h1", "h2"], "on": ["h1"]}
    script.add(Change("sessions/a", json.dumps(record), created=4))
    replay = queue.Replay().all(script.grant("b", "h2").commits)
    assert replay.violations == []
    assert {host: lock.id for host, lock in replay.state.locks.items()} == {"h1": "a", "h2": "b"}


def test_more_hosts_than_the_budget_are_named() -> None:
    script = Script().take("a", "h1").take("b", "h2").grant("a", "h1").grant("b", "h2")
    assert script.broken(Budget(2)) == set()
    assert script.broken(Budget(1)) == {"budget"}


@pytest.mark.parametrize("mode", ["WAIT", "FLEETLOCK"])
def test_turning_away_a_living_client_is_named(mode: str) -> None:
    script = Script().take("p-1", "h1", mode=mode)
    script.add(gone("tickets/p-1/0"), gone("alive/p-1"), put("verdicts/p-1", {"state": "REFUSED", "reason": "late"}, script.next))
    assert script.broken() == {"turned away"}


@pytest.mark.parametrize(("mode", "state"), [("TRY", "REFUSED"), ("WAIT", "ENDED")])
def test_a_refused_try_and_a_withdrawn_ticket_are_not(mode: str, state: str) -> None:
    script = Script().take("p-1", "h1", mode=mode)
    script.add(gone("tickets/p-1/0"), gone("alive/p-1"), put("verdicts/p-1", {"state": state, "reason": "x"}, script.next))
    assert script.broken() == set()


def test_what_etcd_refuses_is_named_but_for_who_stood_still_past_its_lease() -> None:
    def judged(reason: str) -> Report:
        found = Histories(Script().commits, (), (told(1, "refused", reason=reason),), (), drained=True)
        return judge(1, Budget(1), USUAL, found, {})

    assert judged("etcd refused: take ticket: etcdserver: too many operations in txn request").rules == {"refused"}
    late = judged("etcd refused: take ticket: etcdserver: requested lease not found")
    assert late.violations == ()
    assert late.figures["refused"] == 1


def test_two_clients_that_both_believe_to_have_a_host_are_named() -> None:
    assert rules(held(1, "a", 9, h1=3), held(5, "b", 12, h1=7)) == {"two holders"}
    assert rules(held(1, "a", 9, h1=3), held(9.1, "b", 12, h1=7)) == set()
    assert rules(held(1, "a", 9, h1=3), held(5, "b", 12, h2=7)) == set()


def test_a_renewal_makes_a_claim_longer_and_a_release_ends_it() -> None:
    renewed = told(8, "renewed", "a", until=16 * SECOND)
    assert rules(held(1, "a", 9, h1=3), renewed, held(12, "b", 20, h1=7)) == {"two holders"}
    assert rules(held(1, "a", 9, h1=3), renewed, told(10, "release", "a"), held(12, "b", 20, h1=7)) == set()


def test_a_long_claim_is_compared_with_all_that_come_after() -> None:
    short = [held(2, "b", 3, h1=4), held(5, "c", 6, h1=5)]
    named = claims.check_claims(claims.claims([held(1, "a", 9, h1=3), *short]))
    assert len(named) == 2


def test_a_lock_lost_within_its_lease_is_named() -> None:
    assert rules(held(1, "a", 9, h1=3), told(5, "lost", "a")) == {"lost early"}
    assert rules(held(1, "a", 9, h1=3), told(10, "lost", "a")) == set()


def test_a_holder_whose_effect_is_refused_is_named() -> None:
    assert rules(held(1, "a", 9, h1=3), told(5, "stale", "a", host="h1")) == {"holder refused"}
    assert rules(held(1, "a", 9, h1=3), told(10, "stale", "a", host="h1")) == set()


def test_an_effect_after_that_of_a_later_holder_is_stale() -> None:
    tokens = {("h1", 3): "a", ("h1", 7): "b"}
    effects = [Effect(1, "h1", 3, "a", True), Effect(2, "h1", 7, "b", True), Effect(3, "h1", 3, "a", False)]
    assert claims.check_effects(effects, tokens) == []
    accepted = [*effects, Effect(4, "h1", 3, "a", True)]
    assert [violation.rule for violation in claims.check_effects(accepted, tokens)] == ["stale effect"]
    assert [violation.rule for violation in claims.check_effects([Effect(1, "h1", 9, "a", True)], tokens)] == ["made-up token"]


def test_the_register_refuses_lower_tokens_unless_it_is_unfenced(tmp_path: Any) -> None:
    for fenced, answers in ((True, [True, True, True, False]), (False, [True] * 4)):
        register = Register(tmp_path / "register", fenced)
        assert [register.effect("h1", token, "x") for token in (3, 3, 7, 3)] == answers
        assert register.effect("h2", 1, "x")
        register.close()


def test_a_gap_is_told_by_the_fault_it_touches() -> None:
    grants = [at * SECOND for at in (1, 2, 3, 8, 9, 40, 42)]
    faults = [Done(LEADER_FAULTS[0], "m1", 4 * SECOND, 6 * SECOND), Done("clients paused", "c1", 9 * SECOND, 12 * SECOND)]
    assert gaps.longest_gaps(grants, faults) == {LEADER_FAULTS[0]: 31.0, "calm": 2.0}
    assert gaps.longest_gaps(grants, faults[1:]) == {"calm": 31.0}


@pytest.mark.parametrize("profile", [SHORT, LONG])
def test_every_two_plans_have_every_kind_of_fault(profile: Any) -> None:
    for seed in range(50):
        kinds = _kinds(plan(seed, profile))
        others = {"leader killed", "leader paused", "grantor paused", "clients paused", "clock set", GRANTOR_CLOCK, FROZEN}
        assert others <= kinds
        assert {*LEADER_FAULTS} <= kinds | _kinds(plan(seed + 1, profile)), "two runs in a row have every cut"
        assert plan(seed, profile) == plan(seed, profile)
    assert plan(1, profile) != plan(2, profile)


def _kinds(tracks: Sequence[Sequence[Fault]]) -> set[str]:
    return {fault.kind for track in tracks for fault in track}


def test_a_line_cut_in_two_by_a_kill_is_left_out() -> None:
    whole = json.dumps({"what": "take", "client": "c1-2", "id": "c1-2-3", "hosts": ["h1"], "t": 5})
    lines = list(records.told([whole, whole[:20]]))
    assert len(lines) == 1 and lines[0].process == "c1" and lines[0].details == {"hosts": ["h1"]}


def test_a_lease_that_ends_before_its_time_is_found() -> None:
    claim = claims.claims([held(1, "a-1-1", until=7, h1=5), told(3, "renewed", until=9 * SECOND)])

    def ended(seconds: float) -> list[Violation]:
        return claims.check_leases(claim, [Commit(9, (gone("alive/a-1-1"),), int(seconds * SECOND))])

    assert [violation.rule for violation in ended(8)] == ["lease ended early"]
    assert ended(9.5) == []


@pytest.mark.parametrize(
    ("kind", "gone_at", "taken"), [(LEADER_PAUSED, 7, 1), (LEADER_PAUSED, 8.5, 0), (LEADER_PAUSED, 4.9, 0), ("leader cut off", 7, 0)]
)
def test_what_a_leader_took_away_as_it_went_on_is_told_early_and_kept_from_others(kind: str, gone_at: float, taken: int) -> None:
    lost = told(gone_at + 0.1, "lost", "a-1-1")
    found = claims.claims([held(1, "a-1-1", until=9, h1=5), lost, held(8.6, "b-1-1", until=12, h1=6)])
    commits = [Commit(9, (gone("alive/a-1-1"),), int(gone_at * SECOND))]
    assert claims.revoked_by_a_resumed_leader(found, commits, [Done(kind, "m1", 1 * SECOND, 5 * SECOND)]) == taken
    rules = [violation.rule for violation in (*claims.check_claims(found), *claims.check_leases(found, commits))]
    assert rules == (["two holders"] if taken else ["lost early", "two holders", "lease ended early"])


@pytest.mark.parametrize(("cut", "gone_at", "taken"), [(8.5, 9.0, 1), (9.5, 9.0, 0), (4.0, 9.0, 0), (8.5, 14.1, 0)])
def test_a_resumed_leader_revokes_what_it_has_listed_if_it_is_elected_again_soon(cut: float, gone_at: float, taken: int) -> None:
    found = claims.claims([held(1, "a-1-1", until=20, h1=5)])
    commits = [Commit(9, (gone("alive/a-1-1"),), int(gone_at * SECOND))]
    faults = [
        Done(LEADER_PAUSED, "m1", 1 * SECOND, 5 * SECOND),
        Done("leader cut from peers", "m2", int(cut * SECOND), 30 * SECOND),
    ]
    assert claims.revoked_by_a_resumed_leader(found, commits, faults) == taken
    assert len(claims.check_leases(found, commits)) == 1 - taken


def test_a_term_that_ends_before_its_time_is_found() -> None:
    claim = claims.claims([held(1, "a-1-1", until=7, h1=5)])
    ended = [claims.check_leases(claim, [Commit(9, (gone("term/a-1-1"),), at * SECOND)]) for at in (5, 8)]
    assert [len(found) for found in ended] == [1, 0]


def test_a_lease_given_up_by_its_client_does_not_end_early() -> None:
    claim = claims.claims([held(1, "a-1-1", until=7, h1=5), told(3, "release")])
    assert claims.check_leases(claim, [Commit(9, (gone("alive/a-1-1"),), 4 * SECOND)]) == []


def test_a_run_in_which_nothing_happened_proves_nothing() -> None:
    enough = dict(LEAST)
    assert Report(1, (), enough).too_few == []
    assert Report(1, (), {**enough, "lapsed": 0, "grants": 20}).too_few == ["20 grants, not 21", "0 lapsed, not 1"]
