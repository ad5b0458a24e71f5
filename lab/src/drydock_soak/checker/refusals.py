"""What etcd itself refused: the clients ask it for nothing that it may."""

from __future__ import annotations

from collections.abc import Sequence

from drydock_soak.checker.records import ReportedState
from drydock_soak.checker.violation import Violation

LEASE_GONE = "requested lease not found"  # Of a process that stood still for longer than a ticket waits unseen.


def check_refusals(lines: Sequence[ReportedState]) -> list[Violation]:
    refused = [line for line in lines if line.what == "refused" and LEASE_GONE not in line.details["reason"]]
    return [Violation("refused", f"{line.id} was told: {line.details['reason']}") for line in refused]
