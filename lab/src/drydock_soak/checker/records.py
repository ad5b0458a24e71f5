"""The histories a run leaves, as plain values."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from drydock_soak.gateway import decoded
from drydock_soak.witness import Seen


@dataclass(frozen=True)
class Change:
    """One key that one transaction wrote (``value``) or deleted (None)."""

    key: str
    value: str | None
    created: int = 0
    lease: str = ""

    @property
    def json(self) -> dict[str, Any]:
        return dict(json.loads(self.value or "{}"))


@dataclass(frozen=True)
class Commit:
    """Everything one etcd transaction changed, and when that was seen."""

    revision: int
    changes: tuple[Change, ...]
    at: int = 0


@dataclass(frozen=True)
class ReportedState:
    """One line of a client: what it did or saw, and when (nanoseconds of the machine's monotonic clock)."""

    at: int
    client: str
    what: str
    id: str
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def process(self) -> str:
        return self.client.rpartition("-")[0]


def commits(seen: Iterable[Seen], root: str) -> Iterator[Commit]:
    """The transactions of what the witness saw, keys without the root."""
    for revision, group in itertools.groupby(seen, lambda one: one.revision):
        events = list(group)
        yield Commit(revision, tuple(_change(one.event, root) for one in events), events[0].at)


def _change(event: dict[str, Any], root: str) -> Change:
    entry = event["kv"]
    key = decoded(entry["key"]).removeprefix(root)
    if event.get("type") == "DELETE":
        return Change(key, None)
    return Change(key, decoded(entry.get("value", "")), int(entry["create_revision"]), entry.get("lease", ""))


def seconds(instant: str) -> float:
    """A time as the lock service writes it, in seconds since 1970."""
    return datetime.fromisoformat(instant).timestamp()


def told(lines: Iterable[str]) -> Iterator[ReportedState]:
    """The lines of a client process; one that a kill cut in two is the last and says nothing."""
    for line in lines:
        try:
            document = json.loads(line)
        except ValueError:
            return
        yield ReportedState(document.pop("t"), document.pop("client"), document.pop("what"), document.pop("id"), document)
