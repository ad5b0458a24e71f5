"""The wire records this program uses, as frozen values. The contract is proto/src/main/pegasus."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drydock_remediation.apt import Apt
from drydock_remediation.dnf import Dnf
from drydock_remediation.family import Family
from drydock_remediation.health.spec import Spec, spec_for
from drydock_remediation.plain_text import plain

FAMILIES: Mapping[str, Family] = {family.name: family for family in (Apt(), Dnf())}
PACKAGE_UPDATE, REIMAGE = "PackageUpdate", "Reimage"  # how hosts are brought to a release: topic host/MODE


class Step(enum.StrEnum):
    """The steps of all topics."""

    VERIFY = "Verify"
    UPDATE = "Update"
    HEALTH = "Health"
    REPAIR = "Repair"
    PREFLIGHT = "Preflight"


class Repair(enum.StrEnum):
    """What a Repair is to do."""

    DIAGNOSE = "Diagnose"
    CLEAN_DISK = "CleanDisk"
    POWER_CYCLE = "PowerCycle"
    VERIFY = "Verify"


class Mend(enum.StrEnum):
    """Who or what can mend what a job failed of."""

    TIME = "Time"
    PEOPLE = "People"


class Outcome(enum.StrEnum):
    DONE = "Done"
    FAILED = "Failed"
    UNKNOWN = "Unknown"


@dataclass(frozen=True)
class Release:
    """What a host shall run afterwards, in the words of its package family."""

    name: str
    channel: str
    packages: Mapping[str, str]
    kernel: str
    family: str = "apt"
    image: str = ""  # URL of the medium that installs it
    image_version: str = ""


@dataclass(frozen=True)
class Job:
    id: str
    grant: str
    step: Step
    host: str
    address: str
    round: int
    deadline_seconds: int  # from the claim on; of one that nobody has claimed, of the whole job
    release: Release | None
    facts: Mapping[str, str]
    applications: tuple[str, ...]
    family: str = "apt"
    downgrade: bool = False  # packages may go to older versions
    mode: str = PACKAGE_UPDATE
    repair: Repair | None = None  # of a Repair only
    spec: Spec = field(default_factory=Spec)  # what the release wants of hosts of this hardware class
    checks: tuple[str, ...] = ()  # what policies want it to pass besides, by name; of a Health only

    @staticmethod
    def read(record: Mapping[str, Any]) -> Job:
        release, family = record.get("release"), record.get("osFamily", "apt")
        return Job(
            id=record["id"],
            grant=record["grant"],
            step=Step(record["step"]),
            host=record["host"],
            address=record["address"],
            round=int(record["round"]),
            deadline_seconds=max(1, int(record.get("secondsLeft", record["deadlineSeconds"]))),
            release=release_for(family, release) if release and family in FAMILIES else None,
            facts=dict(record.get("facts") or {}),
            applications=tuple(sorted({instance["application"] for instance in record.get("instances") or []})),
            family=family,
            downgrade=record.get("downgrade") is True,
            mode=str(record.get("topic") or f"host/{PACKAGE_UPDATE}").removeprefix("host/"),
            repair=Repair(record["repair"]) if record["step"] == Step.REPAIR else None,
            spec=spec_for((release or {}).get("health") or {}, str(record.get("hardwareClass") or "")),
            checks=tuple(record.get("checks") or ()),
        )


def release_for(family: str, record: Mapping[str, Any]) -> Release:
    """What of a release is for hosts of this family."""
    channel, packages, kernel = FAMILIES[family].release_fields(record)
    image = str((record.get("images") or {}).get(family) or "")
    return Release(record["name"], channel, packages, kernel, family, image, str(record.get("imageVersion") or ""))


@dataclass(frozen=True)
class Claim:
    """A job that is ours until the lease ends. `asked_at` is from before the request, on CLOCK_BOOTTIME."""

    job: Job
    claim: str
    attempt: int
    token: str
    lease_seconds: int
    asked_at: float

    @staticmethod
    def read(record: Mapping[str, Any], asked_at: float) -> Claim:
        job = Job.read(record["job"])
        return Claim(job, record["claim"], int(record["attempt"]), record["token"], int(record["leaseSeconds"]), asked_at)


@dataclass(frozen=True)
class Result:
    """`begun`: whether anything was begun on the host for this step and batch, None where nobody knows. `cause` is the same word for
    hosts that fail alike."""

    outcome: Outcome
    message: str
    facts: Mapping[str, str] = field(default_factory=dict)
    evidence: str = ""
    begun: bool | None = None
    mend: Mend | None = None
    cause: str = ""

    def record(self) -> dict[str, Any]:
        known = {"begun": self.begun, "mend": None if self.mend is None else str(self.mend), "cause": self.cause or None}
        said = {name: value for name, value in known.items() if value is not None}
        told = {"message": self.message, "facts": dict(self.facts), "evidence": self.evidence}
        return {"outcome": str(self.outcome), **plain(told), **said}
