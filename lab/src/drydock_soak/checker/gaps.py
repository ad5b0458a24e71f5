"""How long nobody was granted anything."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from drydock_soak.nemesis import FROZEN, GRANTOR_PAUSED, LEADER_FAULTS, STOOD_STILL, Done

AFTER_NS = 6_000_000_000  # Clients of a member that comes back may stand still again for a moment.


def longest_gaps(grants: Iterable[int], faults: Sequence[Done]) -> dict[str, float]:
    """The longest time between two grants, in seconds: around each kind of fault that stops them, and away from any."""
    granted = sorted(grants)
    stopping = [fault for fault in faults if fault.kind in (*LEADER_FAULTS, GRANTOR_PAUSED, FROZEN, STOOD_STILL)]
    longest: dict[str, float] = {}
    for one, other in itertools.pairwise(granted):
        # The one that began last before the gap ended; faults that meet are told by their first.
        touching = [fault for fault in stopping if fault.begin < other and one < fault.end + AFTER_NS]
        kind = min(touching, key=lambda fault: abs(fault.begin - one)).kind if touching else "calm"
        longest[kind] = max(longest.get(kind, 0.0), (other - one) / 1e9)
    return {kind: round(seconds, 2) for kind, seconds in sorted(longest.items())}
