"""Tickets that somebody has to see to at once: how long they are left alone, beside the faults that excuse it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drydock_soak.checker.passing import Waiter
from drydock_soak.checker.state import Budget, State
from drydock_soak.checker.violation import Violation
from drydock_soak.nemesis import GRANTOR_PAUSED, LEADER_FAULTS, STOOD_STILL, Done

# A dead grantor's lease, an election, and clients of etcd that try again after ever longer pauses.
USUAL_SECONDS = 15.0
AFTER_THE_DEAD = "its hosts a lease later, as only locks of the dead are in its way"


@dataclass(frozen=True)
class Owed:
    """A ticket that was owed an answer all the time from one moment to another (nanoseconds), which, and for how long it may be."""

    id: str
    what: str
    begin: int
    end: int
    within: float = USUAL_SECONDS


class Debts:
    """Follows the states of a run; who is served, or begins to lack something, is owed nothing any more."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._open: dict[str, Owed] = {}
        self._settled: list[Owed] = []

    def after(self, state: State, at: int) -> None:
        due = {key: (ticket, what) for key, ticket in state.tickets.items() if (what := owed(state, ticket, self._budget))}
        for key, debt in list(self._open.items()):
            self._open[key] = replace(debt, end=at)
            if due.get(key, (None, ""))[1] != debt.what:
                self._settled.append(self._open.pop(key))
        for key, (ticket, what) in due.items():
            # The locks of the dead on its hosts exclude it for a lease each, all at the same time.
            delay = max((lock.delay for lock in state.excluding(ticket.hosts)), default=0.0) if what == AFTER_THE_DEAD else 0.0
            self._open.setdefault(key, Owed(ticket.id, what, at, at, USUAL_SECONDS + delay))

    def all(self) -> Iterator[Owed]:
        """Those there were, and those still open as of the last state."""
        yield from self._settled
        yield from self._open.values()


def owed(state: State, ticket: Waiter, budget: Budget | None) -> str:
    """What a ticket has to be given now; empty while it has to wait for somebody."""
    if not state.lives(ticket.id):
        return "to be turned away, as its client is gone"
    if ticket.mode == "TRY":
        return "an answer, as it only tries"
    fits = budget is None or budget.lets(ticket.hosts, state.locked)
    if not fits or next(state.before(ticket), None):
        return ""
    if state.nobody_has(ticket.hosts):
        return "its hosts, as it lacks nothing"
    return AFTER_THE_DEAD if all(state.expired(lock) for lock in state.excluding(ticket.hosts)) else ""


def calm_seconds(debt: Owed, faults: Sequence[Done]) -> float:
    """How much of its time no fault is to blame for; of faults that meet, what they share counts once."""
    calm, reached = 0, debt.begin
    for fault in sorted(faults, key=lambda fault: fault.begin):
        if fault.kind in (*LEADER_FAULTS, GRANTOR_PAUSED, STOOD_STILL):
            calm += max(0, min(fault.begin, debt.end) - reached)
            reached = max(reached, min(fault.end, debt.end))
    return (calm + max(0, debt.end - reached)) / 1e9


def check_owed(debts: Iterator[Owed], faults: Sequence[Done]) -> tuple[list[Violation], float]:
    """What was owed for too long, and the longest there was, in seconds without those of faults."""
    violations, longest = [], 0.0
    for debt in debts:
        calm = calm_seconds(debt, faults)
        longest = max(longest, calm)
        if calm > debt.within:
            violations.append(Violation("stuck", f"{debt.id} was owed {debt.what}, for {calm:.1f} s without a fault"))
    return violations, round(longest, 1)
