"""What is read of a host that is being installed anew: out of band from its BMC, in band from its system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drydock_remediation.facts import HostFacts

OFF, ON = "Off", "On"
OVERRIDE_DISABLED = "Disabled"


@dataclass(frozen=True)
class BmcState:
    """`medium` is the URL of what is in the drive, empty when it is empty. `tasks` are those that have not ended."""

    power: str
    override: str
    target: str
    medium: str
    tasks: tuple[str, ...] = ()
    health: str = field(default="OK", compare=False)

    @property
    def override_set(self) -> bool:
        return self.override != OVERRIDE_DISABLED


@dataclass(frozen=True)
class Kept:
    """What the host wrote on its data partition before the first effect of the grant.

    `sums` is the sha256 of the list of sums of all data files, `manifest` that of the partition's own manifest."""

    boot_id: str
    machine_id: str
    sums: str
    files: int
    manifest: str

    @staticmethod
    def read(record: Mapping[str, Any]) -> Kept:
        texts = {name: str(record[name]) for name in ("boot_id", "machine_id", "sums", "manifest")}
        return Kept(**texts, files=int(record["files"]))


@dataclass(frozen=True)
class HostState:
    """The system of a host that answers, and what was kept of the grant there."""

    facts: HostFacts
    kept: Kept | None

    @property
    def installed(self) -> bool:
        """Whether this is another installation than the one that kept the record."""
        return self.kept is not None and self.facts.machine_id != self.kept.machine_id


@dataclass(frozen=True)
class View:
    """One look at a host. None: it was asked and did not answer."""

    bmc: BmcState | None
    host: HostState | None


@dataclass(frozen=True)
class Proof:
    """The data files as they are now against the list that was kept."""

    same: bool
    files: int
    sums: str
    differences: tuple[str, ...] = ()
