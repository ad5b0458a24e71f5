"""What the findings of the auditor have to be for a rollout to be as it should: pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

INVARIANTS = tuple(f"I{number}" for number in range(1, 9))

EXPECTED = [
    re.compile(pattern)
    for pattern in (
        r"nothing was there to be judged$",  # Of hosts that never began.
        r"whether that was blocked meanwhile is not kept$",  # Long waits.
        r"as far as the log tells$",  # What was told within moments of a decision.
        r"the auditor does not judge \S+ of ",  # Windows, gates, controllers, rules over time.
    )
]
"""Gaps that a rollout may have with which nothing is the matter."""


def faults(rollout: str, findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """One of each invariant, something judged, and each held but for what is expected not to be known."""
    found = [f"no finding of {one} in {rollout}" for one in INVARIANTS if one not in {finding["invariant"] for finding in findings}]
    if not any(finding.get("judged", 0) for finding in findings):
        found.append(f"nothing of {rollout} was judged")
    for finding in findings:
        found += [f"{finding['invariant']} in {rollout}: {one}" for one in _of(finding)]
    return found


def _of(finding: Mapping[str, Any]) -> list[str]:
    verdict = finding["verdict"]
    if verdict == "Violated":
        return [f"{one['object']} {one['says']}" for one in finding["violations"]]
    if verdict == "Unknown" and finding.get("gaps"):
        return [f"Unknown, because {gap}" for gap in finding["gaps"] if not any(one.search(gap) for one in EXPECTED)]
    if verdict == "Held" and finding.get("judged", 0):
        return []
    return [f"{verdict}, of {finding.get('judged', 0)} facts, and nobody says why"]
