"""What repairs this program carries out beside readings. A new one is a file here, and a line below."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.records import Repair, Result
from drydock_remediation.reimage.run import Machines
from drydock_remediation.repairs.clean_disk import clean_disk
from drydock_remediation.repairs.power_cycle import power_cycle
from drydock_remediation.repairs.power_cycle_decisions import PATIENCE
from drydock_remediation.settings import Settings


class RepairHandler(Protocol):
    def __call__(self, work: ClaimedWork, machines: Machines, stopping: threading.Event) -> Result | None:
        """Brings one job to its result; None when its lease was lost or the program is to stop."""


def acts(settings: Settings) -> Mapping[Repair, RepairHandler]:
    return {
        Repair.POWER_CYCLE: partial(power_cycle, patience=replace(PATIENCE, bmc=settings.waits.bmc)),
        Repair.CLEAN_DISK: partial(clean_disk, rules=settings.clean_rules),
    }
