"""Histories for tests of the soak's checker."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote_plus

from drydock_soak.checker import queue
from drydock_soak.checker.backfill import SLACK_SECONDS, Bounds
from drydock_soak.checker.records import Change, Commit
from drydock_soak.checker.state import Budget

SECOND = 1_000_000_000
LEASE = 10  # seconds, of every lock that says nothing else
UNTIL_ITS_END = Bounds(margin=SLACK_SECONDS - LEASE)  # A lock is gone when its maximum is over.


class Script:
    """Transactions as the lock service writes them, revision by revision."""

    def __init__(self) -> None:
        self.commits: list[Commit] = []
        self.now = 0
        self.tokens: dict[str, int] = {}
        self.add(put("grantor/leader", "12-a b", created=1))

    def add(self, *changes: Change) -> "Script":
        self.commits.append(Commit(len(self.commits) + 1, changes, self.now))
        return self

    def later(self, seconds: int) -> "Script":
        self.now += seconds * SECOND
        return self

    @property
    def next(self) -> int:
        return len(self.commits) + 1

    def clock(self, ticket: str, spent: float = 0, since: int | None = 0) -> "Script":
        going = {} if since is None else {"since": at(since)}
        return self.add(put(f"passed/{ticket}", {"spentMillis": spent * 1000, **going}, self.next))

    def take(self, ticket: str, *hosts: str, mode: str = "WAIT", lasts: int = 0) -> "Script":
        place = {"id": ticket, "mode": mode, "hosts": hosts, "maxSeconds": lasts}
        return self.add(put(f"tickets/{ticket}/0", place, self.next), put(f"alive/{ticket}", "waiting 5", self.next))

    def grant(self, ticket: str, *hosts: str, until: int = 0, with_the_last: bool = False, lease: int = LEASE) -> "Script":
        granted = self.next - with_the_last
        lasts = {"maxSeconds": until + granted, "grantedAt": at(-granted)} if until else {}
        record = {"id": ticket, "kind": "SESSION", "leaseSeconds": lease, "hosts": hosts, **lasts}
        self.tokens.update((host, self.next) for host in hosts)
        return self.add(gone(f"tickets/{quote_plus(ticket)}/0"), put(f"sessions/{quote_plus(ticket)}", record, self.next))

    def grant_without_ticket(self, lock: str, *hosts: str, kind: str = "SESSION") -> "Script":
        record = {"id": lock, "kind": kind, "hosts": hosts, "grantedAt": at(0)}
        if kind == "SESSION":
            return self.add(put(f"sessions/{quote_plus(lock)}", record, self.next))
        return self.add(*(put(f"locks/{host}", record, self.next) for host in hosts))

    def release(self, ticket: str, *hosts: str) -> "Script":
        return self.add(released(ticket, *hosts), gone(f"alive/{ticket}"))

    def expire(self, ticket: str) -> "Script":
        return self.add(gone(f"alive/{ticket}"))

    def lapse(self, lock: str, *hosts: str) -> "Script":
        """A grantor writes down that nobody believes in a lock any more."""
        marks = [put(f"ended/{host}", {"lockId": lock, "token": self.tokens[host], "by": "grantor"}, self.next) for host in hosts]
        return self.add(*marks)

    def hold(self, ticket: str, host: str, seconds: int) -> "Script":
        """A hold that nobody but its client ends before its maximum."""
        record = {"id": ticket, "kind": "FLEETLOCK", "hosts": [host], "maxSeconds": seconds, "grantedAt": at(0)}
        self.tokens[host] = self.next
        return self.add(gone(f"tickets/{ticket}/0"), gone(f"alive/{ticket}"), put(f"locks/{host}", record, self.next))

    def freeze(self, reason: str) -> "Script":
        return self.add(put("control/brake", {"by": "c1", "reason": reason}, self.next))

    def unfreeze(self) -> "Script":
        return self.add(gone("control/brake"))

    def replay(self, budget: Budget | None = None, bounds: Bounds = UNTIL_ITS_END, clocks_set: Sequence[int] = ()) -> queue.Replay:
        return queue.Replay(budget, bounds, clocks_set).all(self.commits)

    def broken(self, budget: Budget | None = None, bounds: Bounds = UNTIL_ITS_END, clocks_set: Sequence[int] = ()) -> set[str]:
        return {violation.rule for violation in self.replay(budget, bounds, clocks_set).violations}


def put(key: str, value: Any, created: int) -> Change:
    return Change(key, value if isinstance(value, str) else json.dumps(value), created)


def released(lock: str, *hosts: str) -> Change:
    """What is left of the record of a session lock."""
    return put(f"sessions/{quote_plus(lock)}", {"lockId": lock, "hosts": hosts}, 1)


def at(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()


def gone(key: str) -> Change:
    return Change(key, None)
