"""The fleet brake: how long it took from asking for it until no grant was committed any more, and that it stayed until it was lifted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from drydock_soak.checker.overdue_tickets import calm_seconds
from drydock_soak.checker.queue import Grant
from drydock_soak.checker.records import Commit, ReportedState
from drydock_soak.checker.violation import Violation
from drydock_soak.nemesis import FROZEN, GRANTOR_PAUSED, LEADER_FAULTS, STOOD_STILL, Done

WITHIN_SECONDS = 1.0
AFTER_NS = 6_000_000_000  # Connections to a member that comes back may take so long.


@dataclass(frozen=True)
class Freeze:
    """A process asked for it under a reason (nanoseconds), and was answered that there is a brake, with that or another reason."""

    process: str
    reason: str
    asked: int
    brake: str


@dataclass(frozen=True)
class Lift:
    """Somebody was about to lift whatever brake there was, and then heard that it was done; nobody knows when in between."""

    asked: int
    answered: int


@dataclass(frozen=True)
class Braked:
    """From when to when the brake was there, as its commits were seen; ``lifted`` unless it still was in the end."""

    reason: str
    begin: int
    end: int
    lifted: bool = False


def freezes(lines: Sequence[ReportedState]) -> list[Freeze]:
    """Those that were answered."""
    asked = {line.id: line.at for line in lines if line.what == "freeze"}
    return [Freeze(line.client, line.id, asked[line.id], line.details["brake"]) for line in lines if line.what == "frozen"]


def lifts(lines: Sequence[ReportedState]) -> list[Lift]:
    """Those that were never answered may have come about at any time since."""
    found: list[Lift] = []
    for number, line in enumerate(lines):
        if line.what == "unfreeze":
            answers = (later.at for later in lines[number:] if later.client == line.client and later.what == "unfrozen")
            found.append(Lift(line.at, next(answers, sys.maxsize)))
    return found


def braked(commits: Sequence[Commit]) -> list[Braked]:
    found: list[Braked] = []
    standing = False
    for commit in commits:
        for change in commit.changes:
            if change.key == "control/brake":
                if change.value is not None:
                    found.append(Braked(str(change.json["reason"]), commit.at, commits[-1].at))
                elif standing:
                    found[-1] = replace(found[-1], end=commit.at, lifted=True)
                standing = change.value is not None
    return found


def standstills(found: Sequence[Braked]) -> list[Done]:
    """When nobody could be granted anything, as faults are told."""
    return [Done(FROZEN, brake.reason, brake.begin, brake.end) for brake in found]


def check_freezes(
    asked: Sequence[Freeze], found: Sequence[Braked], grants: Sequence[Grant], faults: Sequence[Done]
) -> tuple[list[Violation], float]:
    """What was granted later than a second after a freeze was asked for, and the longest time until it was in force.

    In seconds without those of faults. That nothing at all is granted once it is in force is checked revision by revision.
    """
    violations, longest = [], 0.0
    in_force = {brake.reason: brake for brake in found}
    for freeze in asked:
        brake = in_force.get(freeze.brake)
        felt = [replace(fault, end=fault.end + AFTER_NS) for fault in faults if _keeps_from(freeze, fault)]
        if brake is None:
            violations.append(Violation("granted while frozen", f"freeze {freeze.reason} was answered, and no brake was there"))
            continue
        longest = max(longest, calm_seconds(freeze.asked, brake.begin, felt))
        for grant in grants:
            if freeze.asked < grant.at <= brake.begin and (late := calm_seconds(freeze.asked, grant.at, felt)) > WITHIN_SECONDS:
                what = f"{grant.id} was granted {late:.1f} s after freeze {freeze.reason} was asked for"
                violations.append(Violation("granted while frozen", what))
    return violations, round(longest, 3)


def check_lifts(found: Sequence[Braked], lines: Sequence[ReportedState]) -> list[Violation]:
    """Brakes that went away though nobody was lifting any while they were there.

    Their commits may be seen late, but none was there before it was asked for.
    """
    asked = {line.id: line.at for line in lines if line.what == "freeze"}
    lifted = lifts(lines)
    return [
        Violation("thawed by nobody", f"the brake of freeze {brake.reason} was gone after {(brake.end - brake.begin) / 1e9:.3f} s")
        for brake in found
        if brake.lifted and not any(lift.asked <= brake.end and asked.get(brake.reason, brake.begin) <= lift.answered for lift in lifted)
    ]


def _keeps_from(freeze: Freeze, fault: Done) -> bool:
    """Whether a fault may keep it from being heard of: that of a paused server keeps a call until it is sent to another one."""
    return fault.kind in (*LEADER_FAULTS, GRANTOR_PAUSED, STOOD_STILL) or fault.target == freeze.process
