"""What was seen of a host beside the facts read on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drydock_remediation.health.condition import Condition
from drydock_remediation.health.custom import Ran
from drydock_remediation.health.machine import OutOfBandReading
from drydock_remediation.task_reports import SILENT, TaskReports


@dataclass(frozen=True)
class Observations:
    """`before` is what the task said that was to read the facts. What is None was not asked for, or not answered."""

    before: TaskReports = SILENT
    condition: Condition | None = None
    outside: OutOfBandReading | None = None
    checks: Mapping[str, Ran] | None = None

    @staticmethod
    def of(told: Mapping[str, TaskReports], outside: OutOfBandReading | None) -> Observations:
        said = {task: told.get(task, SILENT) for task in ("before", "condition", "checks")}
        return Observations(said["before"], said["condition"].condition, outside, said["checks"].checks)


NOTHING = Observations()
