"""When a waiting ticket could begin at the earliest, as the locks of those before it say."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

PASSED_MAX_SECONDS = 1800.0


@dataclass(frozen=True)
class Waiter:
    """A place in the queue; the lower its seniority, the earlier its turn."""

    id: str
    mode: str
    hosts: frozenset[str]
    seniority: tuple[int, int]


def begins(waiter: Waiter, queue: Collection[Waiter], held: Mapping[str, float | None]) -> float | None:
    """No earlier than all it lacks has ended and all before it have begun; None when nothing says.

    ``held`` are the hosts that others have, and until when, if that is certain.
    """
    known: dict[str, float | None] = {}

    def begin(one: Waiter) -> float | None:
        if one.id not in known:
            known[one.id] = None
            ends = [end for host in one.hosts for end in ends_on(host, one)]
            bounded = [end for end in ends if end is not None]
            known[one.id] = max(bounded) if ends and len(bounded) == len(ends) else None
        return known[one.id]

    def ends_on(host: str, one: Waiter) -> list[float | None]:
        if host in held:
            return [held[host]]
        return [begin(other) for other in queue if other.seniority < one.seniority and host in other.hosts]

    return begin(waiter)
