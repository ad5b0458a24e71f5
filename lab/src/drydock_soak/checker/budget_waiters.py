"""Who waits for nothing but a budget is not passed by whoever eats of it, but for a time, which is counted."""

from __future__ import annotations

from collections.abc import Sequence

from drydock_soak.checker.backfill import SLACK_SECONDS, Bounds, Waiter
from drydock_soak.checker.records import seconds
from drydock_soak.checker.state import Budget, Lock, State
from drydock_soak.checker.violation import Violation


def check_shares(budget: Budget, bounds: Bounds, ticket: Waiter, lock: Lock, decided: Sequence[State], after: State) -> list[Violation]:
    """Judges a grant of ``ticket``.

    ``decided`` are the states by one of which the grantor may have decided, the last of them before the grant; in all of
    those in which it could be granted the other one has to have waited for its budget alone. Locks that ended since then
    may have been ended by the very pass that granted it: it wrote down their ends first. ``after`` is the state with the
    grant.
    """
    violations = []
    left = decided[-1].locked
    by = [state for state in decided if state.nobody_has(ticket.hosts) and budget.lets(ticket.hosts, state.locked & left)]
    for key, other in decided[-1].tickets.items():
        if not by or key not in after.tickets or not all(passes(state, left, budget, ticket, other, key) for state in by):
            continue
        what = f"{ticket.id} ate of the budget that {other.id} waits for, which came first"
        clock = after.clocks.get(other.id)
        if ticket.mode == "TRY":
            violations.append(Violation("share", f"{what}, and only tried"))
        elif clock is None:
            violations.append(Violation("share", f"{what}: nothing counts for how long"))
        elif lock.granted and seconds(lock.granted) > clock + bounds.longest + SLACK_SECONDS:
            violations.append(Violation("share", f"{what}, and had been passed for as long as anybody may be"))
    return violations


def passes(state: State, left: frozenset[str], budget: Budget, ticket: Waiter, other: Waiter, key: str) -> bool:
    """Whether the other one came first and needs its budget only, and both do not fit beside the locks that are left."""
    waits = key in state.tickets and other.mode == "WAIT" and other.seniority < ticket.seniority
    if not waits or not state.lives(other.id) or not state.has_its_hosts_free(other):
        return False
    return not budget.lets(ticket.hosts, (state.locked & left) | other.hosts)
