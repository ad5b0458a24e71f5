"""When a waiting ticket could begin at the earliest, as the locks of those before it say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

SLACK_SECONDS = 10.0  # A grantor may stand still between its decision and the grant, for as long as its lease.


@dataclass(frozen=True)
class Bounds:
    """How far a later ticket may go before an earlier one (`passing` of the configuration), in seconds.

    ``longest``: for how long any is passed in all. ``margin``: how much later than by its maximum and its lease a lock may be gone.
    """

    longest: float = 1800.0
    margin: float = 15.0

    def gone(self, ends: float, lease: float) -> float:
        """When a lock is gone for certain that ends by its maximum then; its grantor may have counted from a bit earlier."""
        return ends + lease + self.margin - SLACK_SECONDS


@dataclass(frozen=True)
class Waiter:
    """A place in the queue; the lower its seniority, the earlier its turn. ``lasts``: seconds of its enforced maximum.

    Who polls is served only while it asks.
    """

    id: str
    mode: str
    hosts: frozenset[str]
    seniority: tuple[int, int]
    lasts: float | None = None
    polls: bool = False


@dataclass(frozen=True)
class Standing:
    """The hosts that others have, and until when, if that is certain; ``fits`` says whether a budget has room for hosts."""

    now: float
    held: Mapping[str, float | None]
    fits: Callable[[frozenset[str]], bool]

    def lacks_budget_only(self, one: Waiter, begins_before: float) -> bool:
        """Whether it could go before all it waits behind, would a budget let it: nothing says when that is."""
        alone = one.lasts is not None and self.now + one.lasts <= begins_before and not one.hosts & self.held.keys()
        return alone and not self.fits(one.hosts)


def begins(waiter: Waiter, queue: Collection[Waiter], standing: Standing) -> float | None:
    """No earlier than all it lacks has ended and all before it have begun; None when nothing says."""
    known: dict[str, float | None] = {}

    def begin(one: Waiter) -> float | None:
        if one.id not in known:
            known[one.id] = None
            ends = [end for host in one.hosts for end in ends_on(host, one)]
            bounded = [end for end in ends if end is not None]
            certain = bool(ends) and len(bounded) == len(ends)
            known[one.id] = max(bounded) if certain and not standing.lacks_budget_only(one, min(bounded)) else None
        return known[one.id]

    def ends_on(host: str, one: Waiter) -> list[float | None]:
        if host in standing.held:
            return [standing.held[host]]
        return [begin(other) for other in queue if other.seniority < one.seniority and host in other.hosts]

    return begin(waiter)
