"""The two OS releases of the lab: what they are made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Release:
    """One release: a package channel, the versions it brings and the kernel a host boots with it."""

    name: str
    version: str
    kernel: str

    @property
    def channel(self) -> str:
        """Folder of the package server."""
        return f"v{self.name}"

    @property
    def packages(self) -> dict[str, str]:
        return dict.fromkeys(PACKAGES, self.version)


PACKAGES = ("fleet-os", "fleet-kernel", "fleet-agent")
RELEASES = (Release("1", "1.0", "6.1.0.0-fleet"), Release("2", "2.0", "6.2.0.0-fleet"))
FIRST = RELEASES[0]
