"""What a machine was found to be like, out of band: by its BMC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SEVERITIES = ("OK", "Warning", "Critical")


@dataclass(frozen=True)
class Entry:
    """Of the event log."""

    number: int
    severity: str
    message: str


@dataclass(frozen=True)
class Machine:
    """None, and an empty text: the BMC does not tell. `log` is the newest of its events, oldest first; `log_last` the number of the
    newest, 0 of an empty log, None where there is no log."""

    power: str
    health: str
    memory_gib: float | None = None
    memory_health: str = ""
    processors: int | None = None
    processor_health: str = ""
    firmware: Mapping[str, str] = field(default_factory=dict)
    log: tuple[Entry, ...] = ()
    log_last: int | None = None

    def since(self, number: int) -> tuple[Entry, ...] | None:
        """What the log took in after the entry of this number. None when it does not tell: there is none, it was emptied since,
        or holds no longer all of it."""
        if self.log_last is None or self.log_last < number:
            return None
        later = tuple(entry for entry in self.log if entry.number > number)
        return later if len(later) == self.log_last - number else None


@dataclass(frozen=True)
class Asked:
    """How a BMC answered the same simple question several times; `seconds` is the median of its answers, None without any."""

    asked: int
    answered: int
    seconds: float | None


@dataclass(frozen=True)
class OutOfBandReading:
    """A look at a machine from outside. `machine` is None when it could not be read, `why` then says what was in the way."""

    asked: Asked | None
    machine: Machine | None
    why: str = ""
