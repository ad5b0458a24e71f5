"""What a host was found to be like, in band: by the module read_condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mount:
    """`free_percent` for root, the less of bytes and inodes."""

    free_percent: int
    writable: bool


@dataclass(frozen=True)
class Card:
    """A network card; `mbps` is 0 when it does not tell."""

    up: bool
    mbps: int


@dataclass(frozen=True)
class Condition:
    """`services` are running, restarting, down or absent."""

    memory_mib: int
    processors: int
    mounts: Mapping[str, Mount]
    cards: Mapping[str, Card]
    disks: tuple[str, ...]
    services: Mapping[str, str]

    @staticmethod
    def read(record: Mapping[str, Any]) -> Condition:
        """Fails on anything missing: half a reading is none."""
        return Condition(
            memory_mib=int(record["memory_mib"]),
            processors=int(record["processors"]),
            mounts={name: Mount(int(one["free_percent"]), bool(one["writable"])) for name, one in record["mounts"].items()},
            cards={name: Card(bool(one["up"]), int(one["mbps"])) for name, one in record["cards"].items()},
            disks=tuple(map(str, record["disks"])),
            services=dict(record["services"]),
        )

    def fullest(self) -> tuple[str, Mount] | None:
        """Of what can be written to."""
        writable = [(name, mount) for name, mount in sorted(self.mounts.items()) if mount.writable]
        return min(writable, key=lambda one: one[1].free_percent, default=None)
