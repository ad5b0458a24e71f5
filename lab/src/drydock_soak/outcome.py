"""What came of a run: the histories it left, judged."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drydock_soak.checker import brake, claims, gaps, overdue_tickets, queue, refusals
from drydock_soak.checker.backfill import Bounds
from drydock_soak.checker.records import Commit, ReportedState, told
from drydock_soak.checker.state import Budget
from drydock_soak.checker.violation import Violation
from drydock_soak.nemesis import CLOCK, GRANTOR_CLOCK, Done
from drydock_soak.register import Effect

# With less of these nothing was proven: there was too little to break, or the faults were not felt.
LEAST = {
    "grants": 21,
    "etcdElections": 2,
    "grantorsElected": 2,
    "lapsed": 1,
    "freezes": 1,
    "grantorClocksSet": 1,
    "overdue": 1,
}


@dataclass(frozen=True)
class Report:
    """Every broken rule, and the figures that say how much there was to break."""

    seed: int
    violations: tuple[Violation, ...]
    figures: dict[str, Any]

    def line(self) -> str:
        """One JSON object."""
        broken = [str(violation) for violation in self.violations]
        return json.dumps({"seed": self.seed, **self.figures, "violations": len(broken), "first": broken[:10]})

    @property
    def too_few(self) -> list[str]:
        """The figures without enough of which a run proves nothing."""
        return [f"{self.figures[name]} {name}, not {least}" for name, least in LEAST.items() if self.figures[name] < least]

    @property
    def rules(self) -> set[str]:
        return {violation.rule for violation in self.violations}


@dataclass(frozen=True)
class Histories:
    """Everything a run leaves."""

    commits: Sequence[Commit]
    effects: Sequence[Effect]
    told: Sequence[ReportedState]
    faults: Sequence[Done]
    drained: bool

    def keep(self, folder: Path) -> None:
        """Beside what the clients wrote themselves, for whoever looks into a violation."""
        (folder / "faults.json").write_text(json.dumps([dataclasses.asdict(fault) for fault in self.faults], indent=1))
        (folder / "etcd.jsonl").write_text("\n".join(json.dumps(dataclasses.asdict(commit)) for commit in self.commits))
        (folder / "effects.jsonl").write_text("\n".join(json.dumps(dataclasses.asdict(effect)) for effect in self.effects))


def lines(folder: Path) -> list[ReportedState]:
    """What all clients of a run wrote."""
    found: list[ReportedState] = []
    for path in sorted(folder.glob("[cs]*.jsonl")):
        found += lines_of(path)
    return found


def lines_of(path: Path) -> list[ReportedState]:
    """What the clients of one process wrote so far."""
    with path.open() as file:
        return list(told(file))


def judge(seed: int, budget: Budget, bounds: Bounds, histories: Histories, more: dict[str, Any]) -> Report:
    """Checks everything; ``more`` are figures that only the run knows."""
    # Whichever server it is, it may be the grantor by then.
    clocks_set = [fault.begin for fault in histories.faults if fault.kind in (CLOCK, GRANTOR_CLOCK)]
    replay = queue.Replay(budget, bounds, clocks_set).all(histories.commits)
    found = claims.claims(histories.told)
    revoked = claims.revoked_by_a_resumed_leader(found, histories.commits, histories.faults)
    stuck, longest = overdue_tickets.check_owed(replay.debts.all(), histories.faults)
    freezes, brakes = brake.freezes(histories.told), brake.braked(histories.commits)
    frozen_late, longest_freeze = brake.check_freezes(freezes, brakes, replay.grants, histories.faults)
    violations = [
        *replay.violations,
        *claims.check_claims(found),
        *claims.check_leases(found, histories.commits),
        *claims.check_effects(histories.effects, replay.tokens),
        *stuck,
        *overdue_tickets.check_patience(histories.told),
        *refusals.check_refusals(histories.told),
        *frozen_late,
        *brake.check_lifts(brakes, histories.told),
        *(Violation("broken", f"{line.id} ended: {line.details['reason']}") for line in histories.told if line.what == "broken"),
        *([] if histories.drained else _stuck(replay)),
    ]
    figures = {
        "grants": len(replay.grants),
        "ofSeveralHosts": sum(len(grant.hosts) > 1 for grant in replay.grants),
        "clientsServed": len(found),
        "effects": sum(effect.accepted for effect in histories.effects),
        "staleRefused": sum(not effect.accepted for effect in histories.effects),
        "lapsed": replay.lapses,
        "overdue": replay.overdue,
        "revokedByAResumedLeader": revoked,
        "grantorClocksSet": sum(fault.kind == GRANTOR_CLOCK for fault in histories.faults),
        "freezes": len(freezes),
        "longestFreezeSeconds": longest_freeze,
        "freezeAnsweredSeconds": _longest_answer(histories.told),
        "wentBefore": replay.passings,
        "unknown": sum(line.what == "unknown" for line in histories.told),
        "refused": sum(line.what == "refused" for line in histories.told),
        "grantorsElected": replay.leaders,
        "longestOwedSeconds": longest,
        "longestWaitSeconds": _longest_wait(histories.told),
        "gapSeconds": gaps.longest_gaps((grant.at for grant in replay.grants), [*histories.faults, *brake.standstills(brakes)]),
        **more,
    }
    return Report(seed, tuple(violations), figures)


def _stuck(replay: queue.Replay) -> list[Violation]:
    """Names whatever still waits when its time was up."""
    waiting = sorted(replay.state.tickets.values(), key=lambda ticket: ticket.seniority)
    if not waiting:
        return [Violation("stuck", "clients did not come to an end, and nothing is in the queue")]
    return [Violation("stuck", f"{ticket.id} still waits for {', '.join(sorted(ticket.hosts))}") for ticket in waiting]


def _longest_answer(found: Sequence[ReportedState]) -> float:
    """From asking for the brake to the answer, faults included."""
    asked = {line.id: line.at for line in found if line.what == "freeze"}
    return round(max(((line.at - asked[line.id]) / 1e9 for line in found if line.what == "frozen"), default=0.0), 3)


def _longest_wait(found: Sequence[ReportedState]) -> float:
    """From taking a ticket to having its hosts."""
    took = {line.id: line.at for line in found if line.what == "take"}
    waits = [(line.at - took[line.details["errand"]]) / 1e9 for line in found if line.what == "held"]
    return round(max(waits, default=0.0), 1)
