"""What policies allow beyond numbers: where, when and how often instances go down. Each judge remembers one application.

No clock: times come in as seconds since 1970. A judge is told of every change of an instance and answers with a sentence
when a limit is broken by it. Going down is going down, whoever did it.
"""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Protocol


class Limit(Protocol):
    """One rule of one policy for one application; ``rule`` is how people know it."""

    rule: str

    def saw(self, at: float, instance: str, down: Set[str], *, went_down: bool) -> str | None:
        """What is broken by this change; None if nothing is, or if it is told already."""


@dataclass
class DomainsInFlight:
    """Something is down in at most ``most`` domains at once."""

    rule: str
    most: int
    domains: Mapping[str, str]
    _told: bool = False

    def saw(self, at: float, instance: str, down: Set[str], *, went_down: bool) -> str | None:
        del at, instance, went_down
        broken = {self.domains[name] for name in down}
        if len(broken) <= self.most:
            self._told = False
            return None
        if self._told:
            return None
        self._told = True
        return f"{self.rule}: down in {', '.join(sorted(broken))}: {', '.join(sorted(down))}"


@dataclass
class Capacity:
    """At least ``least`` units stay up of what the instances have."""

    rule: str
    least: int
    units: Mapping[str, int]
    _told: bool = False

    def saw(self, at: float, instance: str, down: Set[str], *, went_down: bool) -> str | None:
        del at, instance, went_down
        left = sum(units for name, units in self.units.items() if name not in down)
        told, self._told = self._told, left < self.least
        if told or left >= self.least:
            return None
        return f"{self.rule}: {left} of {sum(self.units.values())} units up, {self.least} required: without {', '.join(sorted(down))}"


@dataclass
class Interval:
    """No instance goes down again within ``seconds`` of the last time."""

    rule: str
    seconds: float
    _last: dict[str, float] = field(default_factory=dict)

    def saw(self, at: float, instance: str, down: Set[str], *, went_down: bool) -> str | None:
        del down
        if not went_down:
            return None
        last = self._last.get(instance)
        self._last[instance] = at
        if last is None or at - last >= self.seconds:
            return None
        return f"{self.rule}: {instance} went down {at - last:.1f} s after the last time"


@dataclass
class Rate:
    """At most ``most`` instances go down within any ``seconds``."""

    rule: str
    most: int
    seconds: float
    _last: dict[str, float] = field(default_factory=dict)

    def saw(self, at: float, instance: str, down: Set[str], *, went_down: bool) -> str | None:
        del down
        if not went_down:
            return None
        self._last[instance] = at
        recent = sorted(name for name, when in self._last.items() if at - when < self.seconds)
        if len(recent) <= self.most:
            return None
        return f"{self.rule}: {len(recent)} went down within {self.seconds:.0f} s: {', '.join(recent)}"


@dataclass(frozen=True)
class Window:
    """From ``begin`` to ``end`` minutes of the day on the wall clock of ``zone``; past midnight if ``end`` is not later."""

    zone: zoneinfo.ZoneInfo
    weekdays: frozenset[int]
    begin: int
    end: int

    def shows(self, at: float) -> bool:
        wall = dt.datetime.fromtimestamp(at, self.zone)
        minute, day = wall.hour * 60 + wall.minute, wall.weekday()
        if self.begin < self.end:
            return day in self.weekdays and self.begin <= minute < self.end
        return (day in self.weekdays and minute >= self.begin) or ((day - 1) % 7 in self.weekdays and minute < self.end)


@dataclass(frozen=True)
class Blackout:
    """From ``begin`` until before ``end`` on the wall clock of ``zone``, both without a zone of their own."""

    zone: zoneinfo.ZoneInfo
    begin: dt.datetime
    end: dt.datetime

    def shows(self, at: float) -> bool:
        return self.begin <= dt.datetime.fromtimestamp(at, self.zone).replace(tzinfo=None) < self.end


@dataclass
class Times:
    """Nothing goes down while windows are closed or in a blackout.

    Work that began in time is not stopped, so what goes down up to ``grace_seconds`` after a window closed may still be
    of it. When work had to begin to end in time cannot be seen from outside.
    """

    rule: str
    windows: tuple[Window, ...]
    blackouts: tuple[Blackout, ...]
    grace_seconds: float

    def saw(self, at: float, instance: str, down: Set[str], *, went_down: bool) -> str | None:
        del down
        if not went_down or any(self._allowed(at - late) for late in range(int(self.grace_seconds) + 1)):
            return None
        return f"{self.rule}: {instance} went down at {dt.datetime.fromtimestamp(at, dt.UTC):%FT%TZ}"

    def _allowed(self, at: float) -> bool:
        open_now = not self.windows or any(window.shows(at) for window in self.windows)
        return open_now and not any(blackout.shows(at) for blackout in self.blackouts)
