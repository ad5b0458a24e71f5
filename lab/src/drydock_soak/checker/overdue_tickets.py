"""Tickets that somebody has to see to at once: how long they are left alone, beside the faults that excuse it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drydock_soak.checker.backfill import Waiter
from drydock_soak.checker.records import ReportedState
from drydock_soak.checker.state import Budget, State
from drydock_soak.checker.violation import Violation
from drydock_soak.nemesis import GRANTOR_PAUSED, LEADER_FAULTS, STOOD_STILL, Done

# A dead grantor's lease, an election, and clients of etcd that try again after ever longer pauses.
USUAL_SECONDS = 15.0
IMPATIENT_SECONDS = 10.0  # Whoever says when it takes its ticket that it will wait no longer may give it up.
AFTER_THE_DEAD = "its hosts a lease later, as only locks of the dead are in its way"


@dataclass(frozen=True)
class OverdueTicket:
    """A ticket that was owed an answer all the time from one moment to another (nanoseconds), which, and for how long it may be."""

    id: str
    what: str
    begin: int
    end: int
    within: float = USUAL_SECONDS


class OverdueTickets:
    """Follows the states of a run; who is served, or begins to lack something, is owed nothing any more."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._open: dict[str, OverdueTicket] = {}
        self._settled: list[OverdueTicket] = []

    def after(self, state: State, at: int) -> None:
        due = {key: (ticket, what) for key, ticket in state.tickets.items() if (what := owed(state, ticket, self._budget))}
        for key, debt in list(self._open.items()):
            self._open[key] = replace(debt, end=at)
            if due.get(key, (None, ""))[1] != debt.what:
                self._settled.append(self._open.pop(key))
        for key, (ticket, what) in due.items():
            # The locks of the dead on its hosts exclude it for a lease each, all at the same time.
            delay = max((lock.delay for lock in state.excluding(ticket.hosts)), default=0.0) if what == AFTER_THE_DEAD else 0.0
            self._open.setdefault(key, OverdueTicket(ticket.id, what, at, at, USUAL_SECONDS + delay))

    def all(self) -> Iterator[OverdueTicket]:
        """Those there were, and those still open as of the last state."""
        yield from self._settled
        yield from self._open.values()


def owed(state: State, ticket: Waiter, budget: Budget | None) -> str:
    """What a ticket has to be given now; empty while it has to wait for somebody."""
    if not state.lives(ticket.id):
        return "to be turned away, as its client is gone"
    if ticket.mode == "TRY":
        return "an answer, as it only tries"
    if state.frozen or ticket.polls:
        return ""  # Who polls has to be asking at that moment; that it is served at all is seen when the run ends.
    fits = budget is None or budget.lets(ticket.hosts, state.locked)
    if not fits or next(state.before(ticket), None):
        return ""
    if state.nobody_has(ticket.hosts):
        return "its hosts, as it lacks nothing"
    return AFTER_THE_DEAD if all(state.expired(lock) for lock in state.excluding(ticket.hosts)) else ""


def calm_seconds(begin: int, end: int, faults: Sequence[Done]) -> float:
    """How much of a time no fault is to blame for; of faults that meet, what they share counts once."""
    calm, reached = 0, begin
    for fault in sorted(faults, key=lambda fault: fault.begin):
        calm += max(0, min(fault.begin, end) - reached)
        reached = max(reached, min(fault.end, end))
    return (calm + max(0, end - reached)) / 1e9


def check_owed(debts: Iterator[OverdueTicket], faults: Sequence[Done]) -> tuple[list[Violation], float]:
    """What was owed for too long, and the longest there was, in seconds without those of faults."""
    violations, longest = [], 0.0
    stopping = [fault for fault in faults if fault.kind in (*LEADER_FAULTS, GRANTOR_PAUSED, STOOD_STILL)]
    for debt in debts:
        calm = calm_seconds(debt.begin, debt.end, stopping)
        longest = max(longest, calm)
        if calm > debt.within:
            violations.append(Violation("stuck", f"{debt.id} was owed {debt.what}, for {calm:.1f} s without a fault"))
    return violations, round(longest, 1)


def check_patience(lines: Sequence[ReportedState]) -> list[Violation]:
    """Who gives up a ticket leaves no debt: so those who wait for as long as it takes have to do so to the end of the run."""
    patience = {line.id: line.details["seconds"] for line in lines if line.what == "take" and "seconds" in line.details}
    return [
        Violation("stuck", f"{line.id} gave up, not served for {patience[line.id]} s: {line.details['reason']}")
        for line in lines
        if line.what == "gave up" and patience[line.id] > IMPATIENT_SECONDS
    ]
