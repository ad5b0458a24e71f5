"""A check of the auditor's findings is green only if it looked at something, and turns red for each way not to hold."""

from typing import Any

import pytest

from drydock_stack.audit import INVARIANTS, faults

HELD: list[dict[str, Any]] = [{"invariant": one, "verdict": "Held", "judged": 3} for one in INVARIANTS]


def but(**parts: Any) -> list[dict[str, Any]]:
    """All held but I3."""
    return [{**one, **parts} if one["invariant"] == "I3" else one for one in HELD]


def unknown(gap: str) -> list[dict[str, Any]]:
    return but(verdict="Unknown", gaps=[gap])


def test_a_rollout_of_which_all_held_has_no_fault() -> None:
    assert faults("r1", HELD) == []


@pytest.mark.parametrize(
    "gap",
    [
        "nothing was there to be judged",
        "g2 was granted h1 before g1, passed for 7 minutes by then; whether that was blocked meanwhile is not kept",
        "application web at the open: 1 of 2 would be left, as far as the log tells",
        "application web: the auditor does not judge windows of policy web version 1",
    ],
)
def test_what_is_expected_not_to_be_known_is_none(gap: str) -> None:
    assert faults("r1", unknown(gap)) == []


@pytest.mark.parametrize(
    ("findings", "says"),
    [
        ([], "no finding of I1 in r1"),
        ([one for one in HELD if one["invariant"] != "I5"], "no finding of I5 in r1"),
        ([{**one, "judged": 0} for one in HELD], "nothing of r1 was judged"),
        (but(judged=0), "I3 in r1: Held, of 0 facts"),
        (but(verdict="Unknown"), "I3 in r1: Unknown, of 3 facts, and nobody says why"),
        (unknown("2 events since the rollout was created are gone"), "I3 in r1: Unknown, because 2 events"),
        (but(verdict="Violated", violations=[{"object": "host/h1", "says": "two locks"}]), "I3 in r1: host/h1 two locks"),
    ],
)
def test_everything_else_is_a_fault(findings: list[dict[str, Any]], says: str) -> None:
    assert any(one.startswith(says) for one in faults("r1", findings)), faults("r1", findings)
