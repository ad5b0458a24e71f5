"""The two OS releases of the lab, the package families its hosts are of, and what its machines are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """What installs the packages of a host."""

    APT = "apt"
    DNF = "dnf"


class Metal(StrEnum):
    """What the machines of a lab are."""

    NAMESPACES = "namespaces"
    QEMU = "qemu"


class Flaw(StrEnum):
    """What is wrong with a channel that was broken on purpose."""

    UNRESOLVABLE = "unresolvable"  # fleet-kernel needs a package that is nowhere
    REMOVAL = "removal"  # fleet-kernel drives fleet-agent out


@dataclass(frozen=True)
class Release:
    """One release: the versions it brings and the kernel a host boots with it. Each family has its channel of it."""

    name: str
    version: str
    kernel: str
    flaw: Flaw | None = None

    @property
    def channel(self) -> str:
        """Folder of the package server, below that of the family."""
        return f"v{self.name}"

    def packages(self, family: Family) -> dict[str, str]:
        """Expected versions as the family writes them: an rpm's version has the number of its packaging behind it."""
        return dict.fromkeys(PACKAGES, self.version if family is Family.APT else f"{self.version}-{PACKAGING}")


PACKAGES = ("fleet-os", "fleet-kernel", "fleet-agent")
PACKAGING = "1"
# The time of everything in a channel, so that a channel is the same whenever it is built.
EPOCH = 1_750_000_000
RELEASES = (Release("1", "1.0", "6.1.0.0-fleet"), Release("2", "2.0", "6.2.0.0-fleet"))
FIRST = RELEASES[0]
BROKEN = tuple(Release(f"2-{flaw}", "2.0", "6.2.0.0-fleet", flaw) for flaw in Flaw)
