"""What the observer has seen, and its judgement. No clock and no input or output: times come in as numbers."""

from __future__ import annotations

from typing import Any

from drydock_observer.policies import Budget

TIMELINE_MAX = 5_000
SETTLE_SECONDS = 10.0  # Going down again so soon after coming up is the same interruption: a restart on the way back.


class ApplicationWatch:
    """One application: which of its instances are available, since when a violation lasts, what the minimum was."""

    def __init__(self, instances: list[str], budget: Budget | None) -> None:
        self.states: dict[str, bool | None] = dict.fromkeys(instances)
        self.budget = budget
        self.minimum: int | None = None
        self.minimum_at: float | None = None
        self.violations: list[dict[str, Any]] = []
        self.timeline: list[tuple[float, int]] = []
        self.broken: list[dict[str, Any]] = []
        self._came_up: dict[str, float] = {}

    @property
    def up(self) -> int:
        return sum(state is True for state in self.states.values())

    def saw(self, at: float, instance: str, available: bool) -> None:
        """Judged as soon as every instance has been seen once."""
        before = self.states[instance]
        changed = before != available
        self.states[instance] = available
        if before is False and available:
            self._came_up[instance] = at
        if not changed or None in self.states.values():
            return
        if len(self.timeline) < TIMELINE_MAX:
            self.timeline.append((at, self.up))
        if self.minimum is None or self.up < self.minimum:
            self.minimum, self.minimum_at = self.up, at
        if self.budget is not None:
            self._judge(at, self.budget.required)
            settled = at - self._came_up.get(instance, 0.0) >= SETTLE_SECONDS
            self._judge_limits(at, instance, went_down=before is True and settled)

    def _judge_limits(self, at: float, instance: str, *, went_down: bool) -> None:
        down = {name for name, state in self.states.items() if not state}
        for limit in self.budget.limits if self.budget else ():
            says = limit.saw(at, instance, down, went_down=went_down)
            if says:
                self.broken.append({"at": at, "says": says})

    def _judge(self, at: float, required: int) -> None:
        lasting = self.violations and self.violations[-1]["to"] is None
        if self.up < required:
            if not lasting:
                self.violations.append({"from": at, "to": None, "required": required, "minimum": self.up, "down": []})
            violation = self.violations[-1]
            violation["minimum"] = min(violation["minimum"], self.up)
            violation["down"] = sorted({*violation["down"], *(name for name, state in self.states.items() if not state)})
        elif lasting:
            self.violations[-1]["to"] = at

    def sentences(self, name: str) -> list[str]:
        """One per violation, for people."""
        return [
            f"{name}: {v['minimum']} up, {v['required']} required, for "
            + (f"{v['to'] - v['from']:.1f} s" if v["to"] else "the rest of the time")
            + f"; down: {', '.join(v['down'])}"
            for v in self.violations
        ] + [f"{name}: {broken['says']}" for broken in self.broken]

    def to_json(self) -> dict[str, Any]:
        return {
            "desired": self.budget.desired if self.budget else None,
            "required": self.budget.required if self.budget else None,
            "rules": [str(rule) for rule in (*self.budget.rules, *(limit.rule for limit in self.budget.limits))] if self.budget else [],
            "unjudged": list(self.budget.unjudged) if self.budget else [],
            "instances": len(self.states),
            "up": self.up,
            "minimum": self.minimum,
            "minimumAt": self.minimum_at,
            "violations": self.violations,
            "broken": self.broken,
            "timeline": self.timeline,
        }


class Watch:
    """All applications of the fleet."""

    def __init__(self, instances: dict[str, str], budgets: dict[str, Budget]) -> None:
        """`instances` maps the id of an instance to its application."""
        self.application_of = instances
        names = sorted(set(instances.values()))
        self.applications = {
            name: ApplicationWatch([i for i, application in instances.items() if application == name], budgets.get(name)) for name in names
        }

    def saw(self, at: float, instance: str, available: bool) -> None:
        self.applications[self.application_of[instance]].saw(at, instance, available)

    @property
    def violations(self) -> int:
        """Times an application fell below its budget, however long it stayed there, or another limit was broken."""
        return sum(len(application.violations) + len(application.broken) for application in self.applications.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "violations": self.violations,
            "details": [sentence for name, application in self.applications.items() for sentence in application.sentences(name)],
            "withoutBudget": [name for name, application in self.applications.items() if application.budget is None],
            "notSeen": sorted(i for a in self.applications.values() for i, state in a.states.items() if state is None),
            "applications": {name: application.to_json() for name, application in self.applications.items()},
        }
