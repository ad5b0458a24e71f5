"""Reads the teams' policies on its own: how many instances of an application must be available."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


class UnreadablePolicyError(Exception):
    """A policy the observer cannot judge by; it says so instead of calling the run clean."""


@dataclass(frozen=True)
class Rule:
    """One line of `spec.capacity` the observer can judge."""

    policy: str
    kind: str
    amount: int
    percent: bool

    def required(self, desired: int) -> int:
        """Instances that must be available; percentages of the desired count round down."""
        amount = desired * self.amount // 100 if self.percent else self.amount
        return desired - amount if self.kind == "maxUnavailable" else amount

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}{'%' if self.percent else ''} ({self.policy})"


@dataclass(frozen=True)
class Budget:
    """Everything the policies demand for one application."""

    desired: int
    rules: tuple[Rule, ...]

    @property
    def required(self) -> int:
        """The strictest rule counts."""
        return max(rule.required(self.desired) for rule in self.rules)


def budgets(folder: Path, allocated: dict[str, int]) -> dict[str, Budget]:
    """The budget of every application some policy speaks of; `allocated` is the scheduler's count."""
    rules: dict[str, list[Rule]] = {}
    desired = dict(allocated)
    for path in sorted(folder.glob("*.yaml")):
        try:
            document = yaml.safe_load(path.read_text())
            spec, name = document["spec"], document["metadata"]["name"]
            for application in spec["applications"]:
                if isinstance(spec.get("desired"), int):
                    desired[application] = spec["desired"]
                rules.setdefault(application, []).extend(_rule(name, entry) for entry in spec["capacity"])
        except (yaml.YAMLError, KeyError, TypeError, AttributeError) as problem:
            raise UnreadablePolicyError(f"{path}: {problem!r}") from problem
    return {name: Budget(desired[name], tuple(found)) for name, found in rules.items() if found and name in desired}


def _rule(policy: str, entry: dict[str, Any]) -> Rule:
    if len(entry) != 1:
        raise UnreadablePolicyError(f"policy {policy}: a capacity rule has one key, not {sorted(entry)}")
    kind, value = next(iter(entry.items()))
    found = re.fullmatch(r"(\d+)(%?)", str(value))
    if kind not in ("maxUnavailable", "minAvailable") or found is None:
        raise UnreadablePolicyError(f"policy {policy}: the observer cannot judge {kind}: {value}")
    return Rule(policy, kind, int(found[1]), found[2] == "%")
