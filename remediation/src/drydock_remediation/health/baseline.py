"""What a machine was like before its update, in facts that later steps compare with. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from drydock_remediation.health.machine import Machine

LOG = "machineLogBefore"  # number of the newest event then
MEMORY_GIB = "machineMemoryGibBefore"


def wanted(earlier: Mapping[str, str], attempt: int) -> bool:
    """Whether a look is one at what was before the update: nobody has told, and no attempt or round that told has begun."""
    return attempt == 1 and not {LOG, MEMORY_GIB, "bootIdBefore", "diagnosis.reachable"} & set(earlier)


def baseline(machine: Machine | None) -> dict[str, str]:
    """Nothing where nothing was read."""
    if machine is None:
        return {}
    told = {LOG: machine.log_last, MEMORY_GIB: machine.memory_gib}
    return {name: str(value) for name, value in told.items() if value is not None}
