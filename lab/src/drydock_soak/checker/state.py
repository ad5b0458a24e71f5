"""Everything etcd has after a transaction, and what can be said of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from drydock_soak.checker.backfill import Waiter

LONGEST_LEASE_SECONDS = 3600.0


@dataclass(frozen=True)
class Lock:
    """``ends`` by the maximum its holder declared, as its grantor counted it; all of a pass are ``granted`` at one time.

    ``lease``: for how many seconds its client may believe in it after its last renewal. ``stays``: how long nobody but its
    client may end it; None where it lives by a lease.
    """

    id: str
    kind: str
    created: int
    ends: float | None = None
    granted: str | None = None
    hosts: frozenset[str] = frozenset()
    lease: float = 0.0
    stays: float | None = None

    @property
    def delay(self) -> float:
        """For how many seconds it excludes once it is expired; where no lease was written down, for the longest there is."""
        if self.stays is not None:
            return self.stays
        return self.lease or LONGEST_LEASE_SECONDS


@dataclass(frozen=True)
class Budget:
    """As many of the hosts may be locked at once, lapsed locks included; of all hosts when none are named."""

    most: int
    hosts: frozenset[str] | None = None

    def used(self, locked: frozenset[str]) -> int:
        return len(locked if self.hosts is None else locked & self.hosts)

    def lets(self, hosts: frozenset[str], locked: frozenset[str]) -> bool:
        """Whether so many may be locked, or none of these counts."""
        return self.used(hosts) == 0 or self.used(locked | hosts) <= self.most


@dataclass
class State:
    tickets: dict[str, Waiter] = field(default_factory=dict)
    locks: dict[str, Lock] = field(default_factory=dict)
    alive: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)
    clocks: dict[str, float] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    noted: dict[str, tuple[str, int]] = field(default_factory=dict)
    leader: bool = False
    frozen: bool = False

    def copy(self) -> State:
        return State(**{one.name: copy.copy(getattr(self, one.name)) for one in fields(self)})

    @property
    def locked(self) -> frozenset[str]:
        return frozenset(self.locks)

    def lives(self, of: str) -> bool:
        """Whether the key is there by which a ticket or a lock lives."""
        return of in self.alive

    def expired(self, lock: Lock) -> bool:
        """Whether its lease or its term is over; its client may not have heard of it. A hold has no lease."""
        if lock.kind != "SESSION":
            return False
        over = lock.ends is not None and lock.id in self.counted and lock.id not in self.terms
        return not self.lives(lock.id) or over

    def lapsed(self, host: str) -> bool:
        """Whether the lock there excludes nobody any more, as a grantor wrote down that nobody believes in it."""
        lock = self.locks[host]
        return self.expired(lock) and self.noted.get(host) == (lock.id, lock.created)

    def ticket(self, of: str) -> Waiter | None:
        return next((ticket for ticket in self.tickets.values() if ticket.id == of), None)

    def nobody_has(self, hosts: frozenset[str]) -> bool:
        """Whether no lock on them excludes anybody."""
        return not any(self.excluding(hosts))

    def excluding(self, hosts: frozenset[str]) -> Iterator[Lock]:
        """The locks on them that exclude somebody."""
        return (self.locks[host] for host in hosts if host in self.locks and not self.lapsed(host))

    def before(self, waiter: Waiter) -> Iterator[Waiter]:
        """Who came first for one of its hosts and keeps it from whoever comes later, as its client lives."""
        for other in self.tickets.values():
            if other.seniority < waiter.seniority and other.hosts & waiter.hosts and self.lives(other.id):
                yield other

    def has_its_hosts_free(self, waiter: Waiter) -> bool:
        """Whether nobody has one of its hosts, or came first for it; of a budget this says nothing."""
        return self.nobody_has(waiter.hosts) and next(self.before(waiter), None) is None
