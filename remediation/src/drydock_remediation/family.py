"""What differs between hosts whose packages come by apt and by dnf; everything else is the same for both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Short:
    """A file system on which an upgrade would not fit, in bytes."""

    path: str
    free: int
    needed: int


@dataclass(frozen=True)
class Plan:
    """What an upgrade would do: versions it would install, packages it would remove or leave as they are, and for the message the packages
    that would have to go to reach more. `held` are packages that somebody said should stay, with how; `newer` those of the release that
    are there in a newer version; `unwritable` places that the upgrade would write to and cannot, with why."""

    installs: Mapping[str, str]
    removals: tuple[str, ...]
    in_the_way: tuple[str, ...] = ()
    kept_back: tuple[str, ...] = ()
    held: Mapping[str, str] | None = None
    newer: tuple[str, ...] = ()
    unwritable: Mapping[str, str] | None = None
    short: tuple[Short, ...] = ()

    @staticmethod
    def read(text: str) -> Plan:
        """What a program on a host printed."""
        record: dict[str, Any] = json.loads(text)
        return Plan(
            dict(record["installs"]),
            tuple(record["removals"]),
            tuple(record.get("inTheWay", ())),
            tuple(record.get("keptBack", ())),
            {one["package"]: one["by"] for one in record.get("held", ())},
            tuple(record.get("newer", ())),
            {one["path"]: one["why"] for one in record.get("unwritable", ())},
            tuple(Short(one["path"], int(one["free"]), int(one["needed"])) for one in record.get("space", ())),
        )


class Family(Protocol):
    """A package family. `program` is what runs on its hosts: VERB ORDER, where the verbs are `refresh` and `reread` (the index of the
    channel; the first takes a staged one), `plan` (prints what Plan reads), `stage` (fetches the packages) and `upgrade` (brings every
    package to the newest version of the channel, removes none, and at its end makes the channel the host's own source)."""

    name: str
    tool: str  # as messages call it
    channel_field: str  # of a release, on the wire
    query: list[str]  # prints all packages of a host as lines NAME|STATUS|VERSION
    installed: list[str]  # prints all packages of a host as lines STATUS NAME VERSION
    program: str

    def release_fields(self, record: Mapping[str, Any]) -> tuple[str, Mapping[str, str], str]:
        """Channel, packages and kernel of a wire release for hosts of this family."""

    def audits(self, packages: list[str]) -> list[list[str]]:
        """Commands that say nothing while the package database is in order."""
