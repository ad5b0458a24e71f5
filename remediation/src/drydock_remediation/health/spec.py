"""What a release wants of hosts of one hardware class beside packages and kernel. Nothing wanted: nothing is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from drydock_remediation.health.machine import SEVERITIES

EVERY_CLASS = "default"


@dataclass(frozen=True)
class Outer:
    """Out of band. `health` is the worst that is still good; so is `log`, of events since the update began."""

    health: str = ""
    memory_gib: float = 0.0
    processors: int = 0
    firmware: Mapping[str, str] = field(default_factory=dict)
    log: str = ""

    @property
    def empty(self) -> bool:
        return self == Outer()


@dataclass(frozen=True)
class Spec:
    """The least that is good. `mounts`: percent that have to be free; `cards`: megabits a second, 0 for any, of cards that have to be
    up; `services` have to run beside the applications."""

    memory_mib: int = 0
    processors: int = 0
    disks: int = 0
    mounts: Mapping[str, int] = field(default_factory=dict)
    cards: Mapping[str, int] = field(default_factory=dict)
    services: tuple[str, ...] = ()
    outer: Outer = field(default_factory=Outer)

    @property
    def empty(self) -> bool:
        return self == Spec()

    @property
    def inner(self) -> bool:
        """Whether anything is wanted in band."""
        return self != Spec(outer=self.outer)


def spec_for(health: Mapping[str, Any], hardware_class: str) -> Spec:
    """Of a release's `health`: what stands under the hardware class, or under `default`. A ValueError names what nobody understands: a
    want that is not understood must not pass for one that is met."""
    return read(health.get(hardware_class) or health.get(EVERY_CLASS) or {})


def read(record: Mapping[str, Any]) -> Spec:
    kinds: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "memoryMib": ("memory_mib", _count),
        "processors": ("processors", _count),
        "disks": ("disks", _count),
        "mounts": ("mounts", _percents),
        "cards": ("cards", _counts),
        "services": ("services", _names),
        "bmc": ("outer", read_outer),
    }
    return Spec(**_read(record, kinds))


def read_outer(record: Mapping[str, Any]) -> Outer:
    kinds: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "health": ("health", _severity),
        "memoryGib": ("memory_gib", float),
        "processors": ("processors", _count),
        "firmware": ("firmware", lambda given: {str(name): str(version) for name, version in given.items()}),
        "log": ("log", _severity),
    }
    return Outer(**_read(record, kinds))


def _read(record: Mapping[str, Any], kinds: Mapping[str, tuple[str, Callable[[Any], Any]]]) -> dict[str, Any]:
    if strange := sorted(set(record) - set(kinds)):
        raise ValueError(f"health spec: {', '.join(strange)} is not understood; there are {', '.join(kinds)}")
    found = {}
    for name, value in record.items():
        field_name, convert = kinds[name]
        try:
            found[field_name] = convert(value)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"health spec: {name}: {error}") from error
    return found


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no number from 0 on")
    return value


def _counts(value: Mapping[str, Any]) -> dict[str, int]:
    return {str(name): _count(one) for name, one in value.items()}


def _percents(value: Mapping[str, Any]) -> dict[str, int]:
    found = _counts(value)
    if any(percent > 100 for percent in found.values()):
        raise ValueError("more than 100 percent")
    return found


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{value!r} is no list of names")
    return tuple(value)


def _severity(value: Any) -> str:
    if value not in SEVERITIES:
        raise ValueError(f"{value!r} is none of {', '.join(SEVERITIES)}")
    return str(value)
