"""What was read on a host, in one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drydock_remediation.channel_on_host import NOTHING_BEGUN
from drydock_remediation.package_audits import new_complaints

# All packages of a host go through the board in one text; a longer one is refused before anything is touched.
ALL_PACKAGES_BYTES_MAX = 256 * 1024
AUDIT_MAX = 2000


@dataclass(frozen=True)
class HostRun:
    """A command that ran on the host under the wrapper."""

    state: str
    code: int | None
    boot: str
    token: tuple[int, ...]
    command: tuple[str, ...] = ()

    @property
    def begun(self) -> bool:
        """Whether it may have changed the host. Programs of ours end with a code of its own when they have not."""
        return self.state != "not-started" and self.code != NOTHING_BEGUN


@dataclass(frozen=True)
class Before:
    """What a host was before the first effect of a grant, as it kept it itself."""

    kernel: str
    os_release: str
    all_packages: str
    audit: str = ""


@dataclass(frozen=True)
class HostFacts:
    """`audit` is what the package database complains about, without what it complained about before the first effect of the grant, where
    that is known. `recorded`: whether what the wrapper recorded could be read; without it nobody knows what was begun."""

    boot_id: str
    kernel: str
    os_release: str
    packages: Mapping[str, str]
    all_packages: str
    before: Before | None
    audit: str
    data_mounted: bool
    data_sums_ok: bool
    data_sums: str
    data_manifest: str
    machine_id: str  # another one after each installation
    image_version: str  # of the image the host was installed from; empty when its maker gave it none
    services: Mapping[str, bool] = field(default_factory=dict)
    runs: Mapping[str, HostRun] = field(default_factory=dict)
    recorded: bool = True
    others: str = ""  # who else works with its packages or holds up its shutdown: process, command, since when
    database: str = ""  # another one after every change of the package database
    held_off: bool = False  # whether upgrades that are not ours are still held off

    @staticmethod
    def read(record: Mapping[str, Any]) -> HostFacts:
        """From the answer of the module read_host. Fails on anything missing: half a reading is none."""
        runs = {key: read_run(run) for key, run in record["hostrun"]["runs"].items()}
        before = None if record["before"] is None else Before(**record["before"])
        return HostFacts(
            boot_id=record["boot_id"],
            kernel=record["kernel"],
            os_release=record["os_release"],
            packages=dict(record["packages"]),
            all_packages=record["all_packages"],
            before=before,
            audit=new_complaints(before.audit if before else "", record["audit"])[:AUDIT_MAX],
            data_mounted=bool(record["data_mounted"]),
            data_sums_ok=bool(record["data_sums_ok"]),
            data_sums=record["data_sums"],
            data_manifest=record["data_manifest"],
            machine_id=record["machine_id"],
            image_version=record["image_version"],
            services=dict(record["services"]),
            runs=runs,
            others=str(record["others"]),
            database=str(record["database"]),
            recorded=bool(record["data_mounted"]) and not record["hostrun"].get("unread", False),
            held_off=bool(record["held_off"]),
        )

    def for_record(self, family: str) -> dict[str, str]:
        """What later steps and people want to see of it."""
        found = {"bootId": self.boot_id, "kernel": self.kernel, "osFamily": family, "osRelease": self.os_release}
        return found | {f"package.{name}": version for name, version in sorted(self.packages.items())}

    def too_long(self) -> str:
        """Why the list of all packages cannot be handed on; empty when it can."""
        size = len(self.all_packages.encode())
        if size <= ALL_PACKAGES_BYTES_MAX:
            return ""
        return f"the list of its installed packages has {size} bytes, {ALL_PACKAGES_BYTES_MAX} are the most a report takes"


def read_run(record: Mapping[str, Any]) -> HostRun:
    token = tuple(int(part) for part in str(record["token"] or "0").split("."))
    return HostRun(str(record["state"]), record["rc"], str(record["boot"] or ""), token, tuple(record.get("cmd") or ()))
