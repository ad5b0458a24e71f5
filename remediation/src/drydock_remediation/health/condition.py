"""What a host was found to be like, in band: by the module read_condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
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
    silent: tuple[str, ...] = ()  # places whose file systems did not answer in time

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
            silent=tuple(map(str, record["silent"])),
        )

    def fullest(self, places: Iterable[str]) -> tuple[str, Mount] | None:
        """Of the file systems that these places lie on and that can be written to."""
        points = {point for place in places if (point := self._point(place))}
        writable = [(name, mount) for name, mount in sorted(self.mounts.items()) if mount.writable and name in points]
        return min(writable, key=lambda one: one[1].free_percent, default=None)

    def _point(self, place: str) -> str | None:
        """Where what the place lies on is mounted; None where that is not among what was read."""
        path = PurePosixPath(place)
        return next((str(one) for one in (path, *path.parents) if str(one) in self.mounts or str(one) in self.silent), None)
