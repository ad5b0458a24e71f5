"""What is read of a host that is being installed anew: out of band from its BMC, in band from its system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drydock_remediation.facts import HostFacts
from drydock_remediation.records import Job

OFF, ON = "Off", "On"
OVERRIDE_DISABLED = "Disabled"
BOOTS_MEDIUM = ("Cd", "UsbCd")
# Facts of jobs. GRANT.ROUND of what was kept, the sum of that, the machine id of the system under which it was taken, and the sum of
# the data as they were found later; GRANT.ROUND of what has begun to do something to the machine.
KEPT, SUMS_BEFORE, KEPT_UNDER, SUMS, BEGUN = "dataKept", "dataSumsBefore", "dataKeptUnder", "dataSums", "reimageBegun"


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

    @property
    def armed(self) -> bool:
        """Whether it would boot a medium when it is started next."""
        return self.override_set and self.target in BOOTS_MEDIUM


@dataclass(frozen=True)
class Kept:
    """What the host wrote on its data partition before the first effect of a round.

    `sums` is the sha256 of the list of sums of all data files, `manifest` that of the partition's own manifest. `sums_of` is the
    machine id of the system under which they were taken: what no round has proven is carried over to the next."""

    boot_id: str
    machine_id: str
    sums: str
    files: int
    manifest: str
    round: int
    sums_of: str

    @staticmethod
    def read(record: Mapping[str, Any]) -> Kept:
        texts = {name: str(record[name]) for name in ("boot_id", "machine_id", "sums", "manifest", "sums_of")}
        return Kept(**texts, files=int(record["files"]), round=int(record["round"]))


@dataclass(frozen=True)
class Earlier:
    """What earlier rounds tell: which of them kept sums last, None where none did, and whether these were proven."""

    round: int | None = None
    proven: bool = False

    @property
    def owed(self) -> bool:
        return self.round is not None and not self.proven

    @staticmethod
    def of(job: Job) -> Earlier:
        """From the facts of the job, which may be of another grant, too."""
        grant, _, number = job.facts.get(KEPT, "").rpartition(".")
        if grant != job.grant or not number.isdecimal() or int(number) >= job.round:
            return Earlier()
        sums = job.facts.get(SUMS_BEFORE, "")
        return Earlier(int(number), sums != "" and sums == job.facts.get(SUMS))


FIRST_ROUND = Earlier()


@dataclass(frozen=True)
class HostState:
    """The system of a host that answers, and what was kept there: of this round, and last of those before it in the grant."""

    facts: HostFacts
    kept: Kept | None
    earlier: Kept | None = None


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
