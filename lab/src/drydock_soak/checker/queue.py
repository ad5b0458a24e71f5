"""Replays what etcd committed, and checks the queue's promises at every transaction (protocol P2 to P5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from drydock_soak.checker.backfill import Bounds, Standing, Waiter, begins
from drydock_soak.checker.budget_waiters import check_shares
from drydock_soak.checker.lock_expiries import Expiries
from drydock_soak.checker.overdue_tickets import OverdueTickets
from drydock_soak.checker.records import Change, Commit, seconds
from drydock_soak.checker.state import Budget, Lock, State
from drydock_soak.checker.violation import Violation

AT_ONCE = float("-inf")
USUAL = Bounds()
DECIDED_WITHIN_NS = 10_000_000_000  # A grantor may stand still in between, for as long as its lease.


@dataclass(frozen=True)
class Grant:
    id: str
    hosts: frozenset[str]
    at: int


class Replay:
    """Applies transactions in order; what is wrong with them is in ``violations``."""

    def __init__(self, budget: Budget | None = None, bounds: Bounds = USUAL, clocks_set: Sequence[int] = ()) -> None:
        """``clocks_set``: when clocks of grantors jumped; what was decided by one and written down by the other is not judged."""
        self.state = State()
        self.violations: list[Violation] = []
        self.grants: list[Grant] = []
        self.tokens: dict[tuple[str, int], str] = {}
        self.leaders = 0
        self.lapses = 0
        self.passings = 0
        self.overdue = 0
        self.debts = OverdueTickets(budget)
        self._budget = budget
        self._bounds = bounds
        self._clocks_set = clocks_set
        self._expiries = Expiries()
        self._by: dict[str, str] = {}
        self._states: deque[tuple[int, State]] = deque()
        self._entered: set[str] = set()
        self._granted: set[str] = set()

    def all(self, commits: Iterable[Commit]) -> Replay:
        for commit in commits:
            self.apply(commit)
        return self

    def apply(self, commit: Commit) -> None:
        before, state = self.state.copy(), self.state
        self._states.append((commit.at, before))
        granted: dict[str, set[str]] = {}
        for change in commit.changes:
            self._change(commit, change, granted)
        for lock_id, hosts in granted.items():
            self._grant(commit, before, lock_id, hosts)
        for host in before.locks.keys() - state.locks.keys():
            self._end(commit, before, host)
        for key in before.tickets.keys() - state.tickets.keys():
            if before.tickets[key].id not in granted:
                self._turned_away(commit, before, before.tickets[key])
        used = self._budget.used(state.locked) if self._budget else 0
        if self._budget and granted and used > self._budget.most:
            self._violated("budget", f"{used} hosts are locked at revision {commit.revision}, {self._budget.most} may be")
        self.debts.after(state, commit.at)
        self._expiries.after(state, commit.at)

    def _change(self, commit: Commit, change: Change, granted: dict[str, set[str]]) -> None:
        section, _, escaped = change.key.partition("/")
        name = unquote_plus(escaped)
        if section == "tickets":
            self._ticket(commit, name, change)
        elif section == "locks":
            self._lock(commit, name, change, granted)
        elif section == "sessions":
            self._session(commit, name, change, granted)
        elif section == "alive":
            (self.state.alive.discard if change.value is None else self.state.alive.add)(name)
            counts = change.value is not None and not change.value.startswith("waiting")
            (self.state.counted.add if counts else self.state.counted.discard)(name)
        elif section == "term":
            (self.state.terms.discard if change.value is None else self.state.terms.add)(name)
        elif section == "passed":
            self._clock(name, change)
        elif section == "ended" and change.value is not None:
            self._ended(commit, name, change.json)
        elif change.key == "grantor/leader":
            self.state.leader = change.value is not None
            self.leaders += self.state.leader
        elif change.key == "control/brake":
            self.state.frozen = change.value is not None

    def _ended(self, commit: Commit, host: str, end: dict[str, Any]) -> None:
        """The end of a lock; or of one that is still there, that nobody believes in it any more."""
        self.state.ended[host] = str(end["lockId"])
        self._by[host] = str(end.get("by"))
        token = int(end.get("token", 0))
        self.state.noted[host] = (self.state.ended[host], token)
        lock = self.state.locks.get(host)
        if token and lock and lock.kind == "SESSION":
            self._lapse(commit, host, lock)
        elif token and lock and lock.stays is not None:
            self._overdue(commit, host, lock)

    def _lapse(self, commit: Commit, host: str, lock: Lock) -> None:
        what = f"{lock.id} lapsed on {host} at revision {commit.revision}"
        if not self.state.expired(lock):
            self._violated("taken from the living", f"{what}, and its client was alive")
        elif (missing := self._expiries.missing(host, lock, commit.at)) > 0:
            self._violated("taken too early", f"{what}, at least {missing:.1f} s before its client had to hear of it")

    def _overdue(self, commit: Commit, host: str, lock: Lock) -> None:
        self.overdue += 1
        if (missing := self._expiries.missing(host, lock, commit.at)) > 0:
            what = f"the hold {lock.id} on {host} was ended at revision {commit.revision}"
            self._violated("taken too early", f"{what}, at least {missing:.1f} s before its maximum")

    def _ticket(self, commit: Commit, key: str, change: Change) -> None:
        if change.value is None:
            self.state.tickets.pop(key, None)
            return
        ticket = _ticket(key, change)
        if change.created == commit.revision:
            if ticket.id in self._entered:
                self._violated("enqueued twice", f"ticket {ticket.id} entered the queue again at revision {commit.revision}")
            self._entered.add(ticket.id)
        self.state.tickets[key] = ticket

    def _session(self, commit: Commit, name: str, change: Change, granted: dict[str, set[str]]) -> None:
        """A session lock is one record for all its hosts; where it has ended it says of all of them how."""
        document = change.json
        on = [] if over(change) else document.get("on", document["hosts"])
        for host in [host for host, lock in self.state.locks.items() if lock.id == name and host not in on]:
            del self.state.locks[host]
        for host in document.get("hosts", []) if over(change) else []:
            self._ended(commit, host, document)
        for host in on:
            self._lock(commit, host, change, granted)

    def _lock(self, commit: Commit, host: str, change: Change, granted: dict[str, set[str]]) -> None:
        if change.value is None:
            self.state.locks.pop(host, None)
            return
        lock = _record(host, change)
        holder = self.state.locks.get(host)
        if holder and holder.id != lock.id:
            self._violated(
                "double grant", f"{host} was given to {lock.id} at revision {commit.revision} while {holder.id} had a lock on it"
            )
        if change.created == commit.revision or not holder or holder.id != lock.id:
            granted.setdefault(lock.id, set()).add(host)
        self.tokens[(host, change.created)] = lock.id
        self.state.locks[host] = lock

    def _grant(self, commit: Commit, before: State, lock_id: str, hosts: set[str]) -> None:
        where = f"{lock_id} ({', '.join(sorted(hosts))}) at revision {commit.revision}"
        self.grants.append(Grant(lock_id, frozenset(hosts), commit.at))
        if lock_id in self._granted:
            self._violated("granted twice", where)
        self._granted.add(lock_id)
        if not before.leader:
            self._violated("granted without a grantor", where)
        if before.frozen:
            self._violated("granted while frozen", where)
        if not before.lives(lock_id):
            self._violated("granted to the dead", f"{where}: its client was gone")
        lock = self.state.locks[min(hosts)]
        ticket = before.ticket(lock_id)
        if ticket is None:
            self._violated("granted without a ticket", where)
            return
        if ticket.hosts != hosts:
            self._violated("all or none", f"{where}: it asked for {', '.join(sorted(ticket.hosts))}")
        for key, other in before.tickets.items():
            shared = other.hosts & ticket.hosts
            # One that leaves in the same transaction had its turn.
            waits = shared and other.seniority < ticket.seniority and key in self.state.tickets
            if waits and before.lives(other.id):
                self._goes_before(commit, before, ticket, other, min(shared))
        if self._budget is not None:
            decided = [state for state in self._of_late(commit) if state.ticket(lock_id)]
            self.violations += check_shares(self._budget, self._bounds, ticket, lock, decided, self.state)

    def _goes_before(self, commit: Commit, before: State, ticket: Waiter, other: Waiter, shared: str) -> None:
        """Only who waited, has a maximum, and is gone before the other one could begin, and not for too long."""
        self.passings += 1
        lock = self.state.locks[shared]
        where = ", ".join(sorted(other.hosts & ticket.hosts))
        what = f"{ticket.id} at revision {commit.revision} passed {other.id}, which came first for {where}"
        clock = before.clocks.get(other.id)
        if ticket.mode != "WAIT" or lock.ends is None:
            self._violated("order", what)
        elif clock is None:
            self._violated("order", f"{what}: nothing counts for how long")
        elif not any(0 <= commit.at - jump < DECIDED_WITHIN_NS for jump in self._clocks_set):
            gone = self._bounds.gone(lock.ends, lock.lease)
            if gone > clock + self._bounds.longest:
                self._violated("order", f"{what}, for longer than anybody may be passed")
            begin = self._begins(before, lock, other)
            seen = (state for state in self._of_late(commit) if ticket.id in {one.id for one in state.tickets.values()})
            if late(gone, begin) and all(late(gone, self._begins(state, lock, other)) for state in seen):
                when = "at once" if begin == AT_ONCE else f"{gone - (begin or 0):.1f} s earlier"
                self._violated("order", f"{what} and could begin {when}")

    def _begins(self, state: State, granted: Lock, waiter: Waiter) -> float | None:
        """Those of one pass may all go before somebody, each judged without the others."""

        def fits(hosts: frozenset[str]) -> bool:
            return self._budget is None or self._budget.lets(hosts, state.locked | self.state.locked)

        if fits(waiter.hosts | self._due_before(state, waiter)) and state.has_its_hosts_free(waiter):
            return AT_ONCE
        locks = {host: one.ends for host, one in state.locks.items() if one.granted != granted.granted and not state.lapsed(host)}
        return begins(waiter, state.tickets.values(), Standing(seconds(granted.granted or ""), locks, fits))

    def _due_before(self, state: State, waiter: Waiter) -> frozenset[str]:
        """What those of the budget take first who came earlier and lack nothing: granted in the same pass, theirs may be written
        down a moment later. That they are not left alone is another rule."""
        due: frozenset[str] = frozenset()
        if self._budget is not None:
            for one in sorted(state.tickets.values(), key=lambda ticket: ticket.seniority):
                earlier = one.mode == "WAIT" and one.seniority < waiter.seniority and state.lives(one.id)
                if earlier and state.has_its_hosts_free(one) and self._budget.lets(due | one.hosts, state.locked):
                    due |= one.hosts
        return due

    def _of_late(self, commit: Commit) -> Iterable[State]:
        """What the grantor may have decided by: somebody may have ended early since then, which nobody can compare with."""
        while self._states and self._states[0][0] < commit.at - DECIDED_WITHIN_NS:
            self._states.popleft()
        return (state for _, state in self._states)

    def _clock(self, name: str, change: Change) -> None:
        """What is left of a clock is counted from where it would have started, had it run all the time."""
        if change.value is None:
            self.state.clocks.pop(name, None)
        else:
            document = change.json
            since = seconds(document["since"]) if "since" in document else float("-inf")
            self.state.clocks[name] = since - float(document["spentMillis"]) / 1000

    def _end(self, commit: Commit, before: State, host: str) -> None:
        lock = before.locks[host]
        where = f"the lock {lock.id} on {host} at revision {commit.revision}"
        if self.state.ended.get(host) != lock.id:
            self._violated("end without a mark", where)
        grantors = self._by.get(host) == "grantor"
        left_alive = self.state.lives(lock.id)
        if lock.kind == "SESSION" and (left_alive or (grantors and not before.expired(lock))):
            self._violated("taken from the living", f"{where} ended, and its client was alive")
        elif lock.kind == "SESSION" and grantors and not before.lapsed(host):
            self._violated("taken too early", f"{where} ended, and nobody had waited until its client heard of it")
        elif lock.stays is not None and grantors and before.noted.get(host) != (lock.id, lock.created):
            self._violated("taken too early", f"{where} ended, and nobody wrote down that its maximum was over")
        self.lapses += lock.kind == "SESSION" and not before.lives(lock.id)

    def _turned_away(self, commit: Commit, before: State, ticket: Waiter) -> None:
        """Only those who are dead or tried leave without having been granted or having asked for it."""
        verdict = next((change for change in commit.changes if unquote_plus(change.key) == f"verdicts/{ticket.id}"), None)
        document: dict[str, Any] = verdict.json if verdict else {}
        if ticket.mode not in ("WAIT", "FLEETLOCK") or document.get("state") != "REFUSED" or not before.lives(ticket.id):
            return
        self._violated("turned away", f"{ticket.id} at revision {commit.revision}, though its client waited: {document.get('reason')}")

    def _violated(self, rule: str, text: str) -> None:
        self.violations.append(Violation(rule, text))


def over(change: Change) -> bool:
    """Whether the record of a session lock says that it stands no more."""
    return change.value is None or "lockId" in change.json


def late(ends: float, begin: float | None) -> bool:
    """Whether somebody stays for longer than until then; None is never."""
    return begin is not None and ends > begin


def _record(host: str, change: Change) -> Lock:
    document = change.json
    hosts = frozenset(document.get("hosts", [host]))
    lease = float(document.get("leaseSeconds", 0))
    stays = float(document.get("maxSeconds", 0)) if document["kind"] == "FLEETLOCK" else None
    return Lock(str(document["id"]), str(document["kind"]), change.created, _end(document), document.get("grantedAt"), hosts, lease, stays)


def _end(lock: dict[str, Any]) -> float | None:
    enforced = lock["kind"] == "SESSION" and lock.get("maxSeconds", 0) > 0
    return seconds(lock["grantedAt"]) + float(lock["maxSeconds"]) if enforced else None


def _ticket(key: str, change: Change) -> Waiter:
    document = change.json
    age = document.get("seniority") or {"revision": change.created, "index": int(key.rpartition("/")[2])}
    name = str(document["id"])
    polls = document["mode"] == "FLEETLOCK"
    lasts = None if polls else float(document.get("maxSeconds", 0)) or None
    return Waiter(name, str(document["mode"]), frozenset(document["hosts"]), (int(age["revision"]), int(age["index"])), lasts, polls)
