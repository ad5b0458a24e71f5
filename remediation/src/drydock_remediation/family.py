"""What differs between hosts whose packages come by apt and by dnf; everything else is the same for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Plan:
    """What an upgrade would do: versions it would install, packages it would remove, and for the message the packages
    that would have to go to reach more."""

    installs: Mapping[str, str]
    removals: tuple[str, ...]
    in_the_way: tuple[str, ...] = ()


class Family(Protocol):
    """A package family. Commands are argument lists; those that change a host are run under the wrapper."""

    name: str
    tool: str  # as messages call it
    channel_field: str  # of a release, on the wire
    query: list[str]  # prints all packages of a host as lines NAME|STATUS|VERSION

    def release_fields(self, record: Mapping[str, Any]) -> tuple[str, Mapping[str, str], str]:
        """Channel, packages and kernel of a wire release for hosts of this family."""

    def audits(self, packages: list[str]) -> list[list[str]]:
        """Commands that say nothing while the package database is in order."""

    def refresh(self, channel: str, *, downgrade: bool) -> list[str]:
        """Makes the channel the host's and reads its index; fails when that cannot be read."""

    def simulation(self, channel: str, *, downgrade: bool) -> list[str]:
        """Prints what the upgrade would do and changes nothing; fails when there is no way to do it."""

    def upgrade(self, channel: str, *, downgrade: bool) -> list[str]:
        """Brings every package to the newest version of the channel, and removes none. One that is newer than that stays,
        unless it may be downgraded."""

    def read(self, text: str) -> Plan:
        """The plan in what `simulation` printed."""
