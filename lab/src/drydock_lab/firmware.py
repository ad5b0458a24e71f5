"""What a machine boots from: its disk, or once or always the medium in its virtual drive."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Override(StrEnum):
    """For how long the override of the boot source holds, in the words of Redfish."""

    DISABLED = "Disabled"
    ONCE = "Once"
    CONTINUOUS = "Continuous"


class Target(StrEnum):
    NONE = "None"
    CD = "Cd"
    HDD = "Hdd"


@dataclass(frozen=True)
class Medium:
    """What is in the virtual drive: where it came from and where its bytes are."""

    url: str
    file: Path


@dataclass
class Firmware:
    override: Override = Override.DISABLED
    target: Target = Target.NONE
    medium: Medium | None = None

    def boot(self) -> Medium | None:
        """The medium that is booted now, or none for the disk. A one-time override is used up, whatever comes of it."""
        source = self.medium if self.override is not Override.DISABLED and self.target is Target.CD else None
        if self.override is Override.ONCE:
            self.override, self.target = Override.DISABLED, Target.NONE
        return source
