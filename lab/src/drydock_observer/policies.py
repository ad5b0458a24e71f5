"""Reads the teams' policies on its own: what they demand for each application."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from drydock_observer.limits import Blackout, Capacity, DomainsInFlight, Interval, Limit, Rate, Times, Window

WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SECONDS = {"s": 1, "m": 60, "h": 3600}
DRAIN_SECONDS = 300
CHECK_SECONDS = 60  # From the last look at the clock to the first effect.


class UnreadablePolicyError(Exception):
    """A policy the observer cannot judge by; it says so instead of calling the run clean."""


@dataclass(frozen=True)
class Place:
    """Where an instance runs: its fault zone and the labels of its host; and how much it weighs, in units."""

    application: str
    zone: str
    labels: Mapping[str, str]
    capacity: int = 1


@dataclass(frozen=True)
class Rule:
    """A limit on how many instances are down at once."""

    policy: str
    kind: str
    amount: int
    percent: bool

    def required(self, desired: int) -> int:
        """Instances that must be available; percentages of the desired count round down."""
        amount = _of(desired, self.amount, percent=self.percent)
        return desired - amount if self.kind == "maxUnavailable" else amount

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}{'%' if self.percent else ''} ({self.policy})"


@dataclass(frozen=True)
class Budget:
    """Everything the policies demand for one application; ``unjudged`` is what no eyes see."""

    desired: int
    rules: tuple[Rule, ...]
    limits: tuple[Limit, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def required(self) -> int:
        """The strictest rule counts."""
        return max((rule.required(self.desired) for rule in self.rules), default=0)


def budgets(folder: Path, places: Mapping[str, Place]) -> dict[str, Budget]:
    """The budget of every application that runs somewhere and that some policy speaks of; ``places`` by id of instance."""
    found: dict[str, list[Budget]] = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            document = yaml.safe_load(path.read_text())
            spec, name = document["spec"], document["metadata"]["name"]
            for application in spec["applications"]:
                mine = {key: place for key, place in places.items() if place.application == application}
                if mine:
                    found.setdefault(application, []).append(_budget(name, spec, mine))
        except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError, zoneinfo.ZoneInfoNotFoundError) as problem:
            raise UnreadablePolicyError(f"{path}: {problem!r}") from problem
    return {
        application: Budget(
            max(one.desired for one in all_of_it),
            tuple(rule for one in all_of_it for rule in one.rules),
            tuple(limit for one in all_of_it for limit in one.limits),
            tuple(text for one in all_of_it for text in one.unjudged),
        )
        for application, all_of_it in found.items()
    }


def _budget(policy: str, spec: dict[str, Any], mine: Mapping[str, Place]) -> Budget:
    desired = spec["desired"] if isinstance(spec.get("desired"), int) else len(mine)
    rules: list[Rule] = []
    limits: list[Limit] = []
    unjudged: list[str] = []
    for entry in spec["capacity"]:
        if len(entry) != 1:
            raise UnreadablePolicyError(f"policy {policy}: a capacity rule has one key, not {sorted(entry)}")
        kind, value = next(iter(entry.items()))
        if kind == "minAvailable" and isinstance(value, dict):
            limits.append(_capacity(f"{kind} {value} ({policy})", value, mine))
        elif kind in ("maxUnavailable", "minAvailable"):
            rules.append(Rule(policy, kind, *_amount(policy, kind, value)))
        elif kind in LIMITS:
            limits.append(LIMITS[kind](f"{kind} {value} ({policy})", value, mine, desired))
        elif kind == "controller":
            unjudged.append(f"{kind} {value} ({policy})")
        else:
            raise UnreadablePolicyError(f"policy {policy}: the observer cannot judge {kind}: {value}")
    if spec.get("windows") or spec.get("blackouts"):
        limits.append(_times(policy, spec))
    unjudged += [f"gate {gate['promql']} ({policy})" for gate in spec.get("health", {}).get("gates", [])]
    return Budget(desired, tuple(rules), tuple(limits), tuple(unjudged))


def _amount(policy: str, kind: str, value: object) -> tuple[int, bool]:
    found = re.fullmatch(r"(\d+)(%?)", str(value))
    if found is None:
        raise UnreadablePolicyError(f"policy {policy}: the observer cannot judge {kind}: {value}")
    return int(found[1]), found[2] == "%"


def _of(desired: int, amount: int, *, percent: bool) -> int:
    return desired * amount // 100 if percent else amount


def _domains(rule: str, most: object, mine: Mapping[str, Place], of: Callable[[Place], str]) -> Limit:
    domains = {instance: of(place) for instance, place in mine.items()}
    nowhere = sorted(instance for instance, domain in domains.items() if not domain)
    if nowhere or not isinstance(most, int):
        raise UnreadablePolicyError(f"{rule}: the observer cannot judge it; without a domain: {', '.join(nowhere) or 'none'}")
    return DomainsInFlight(rule, most, domains)


def _capacity(rule: str, value: dict[str, Any], mine: Mapping[str, Place]) -> Limit:
    amount, percent = _amount(rule, "minAvailable", value["capacity"])
    units = {instance: place.capacity for instance, place in mine.items()}
    all_of_it = sum(units.values())
    return Capacity(rule, all_of_it - _of(all_of_it, 100 - amount, percent=True) if percent else amount, units)


def _rate(rule: str, value: dict[str, Any], desired: int) -> Limit:
    amount, percent = _amount(rule, "disruptionRate", value["max"])
    return Rate(rule, _of(desired, amount, percent=percent), _seconds(value["per"]))


LIMITS: dict[str, Callable[[str, Any, Mapping[str, Place], int], Limit]] = {
    "maxZonesInFlight": lambda rule, value, mine, _: _domains(rule, value, mine, lambda place: place.zone),
    "maxDomainsInFlight": lambda rule, value, mine, _: _domains(
        rule, value["max"], mine, lambda place: place.labels.get(value["topologyKey"], "")
    ),
    "disruptionInterval": lambda rule, value, _, __: Interval(rule, _seconds(value)),
    "disruptionRate": lambda rule, value, _, desired: _rate(rule, value, desired),
}


def _seconds(value: str) -> int:
    parts = re.findall(r"(\d+)([smh])", value)
    if not parts or "".join(number + unit for number, unit in parts) != value:
        raise ValueError(f"{value!r} is no duration")
    return sum(int(number) * SECONDS[unit] for number, unit in parts)


def _times(policy: str, spec: dict[str, Any]) -> Limit:
    windows = tuple(
        Window(
            zoneinfo.ZoneInfo(entry["timezone"]),
            frozenset(WEEK.index(day) for day in entry.get("days", WEEK)),
            _minute(entry["from"]),
            _minute(entry["to"]) % (24 * 60),
        )
        for entry in spec.get("windows", [])
    )
    grace = _seconds(spec.get("drain", {}).get("timeout", f"{DRAIN_SECONDS}s")) + CHECK_SECONDS
    return Times(f"windows and blackouts ({policy})", windows, tuple(_blackouts(spec.get("blackouts", []))), grace)


def _blackouts(entries: Iterable[dict[str, Any]]) -> Iterable[Blackout]:
    for entry in entries:
        begin, _ = _moment(entry["from"])
        end, whole_day = _moment(entry["to"])
        yield Blackout(zoneinfo.ZoneInfo(entry.get("timezone", "UTC")), begin, end + dt.timedelta(days=whole_day))


def _minute(value: object) -> int:
    """YAML reads 10:30 as a number to the base of 60, and 09:30 as a text."""
    if isinstance(value, int):
        return value
    hours, _, minutes = str(value).partition(":")
    return int(hours) * 60 + int(minutes)


def _moment(value: object) -> tuple[dt.datetime, bool]:
    """The time on the wall, and whether it stands for a whole day."""
    text = value.isoformat() if isinstance(value, dt.date) else str(value)
    return dt.datetime.fromisoformat(text), "T" not in text
