"""What the package tool says it would do, read before anything is done: may it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drydock_remediation.family import Plan
from drydock_remediation.records import FAMILIES, Mend, Release

MIB = 1 << 20


@dataclass(frozen=True)
class SimulationRefusal:
    """Why an upgrade must not start, in words and by its cause, and what can mend that."""

    says: str
    cause: str
    mend: Mend = Mend.PEOPLE


def objections(text: str, release: Release, installed: Mapping[str, str]) -> list[SimulationRefusal]:
    """Empty when it may start: it removes nothing, fits, and reaches every expected version. What tells most comes first."""
    family = FAMILIES[release.family]
    plan = Plan.read(text)
    reached = {**installed, **plan.installs}
    missed = {name: want for name, want in release.packages.items() if want not in reached.get(name, "").split()}
    held = plan.held or {}
    found = [SimulationRefusal(f"{name} is {by}", "held") for name, by in sorted(held.items()) if name in missed]
    named = bool(found)
    found += [SimulationRefusal(f"{path} {why}", "unwritable") for path, why in sorted((plan.unwritable or {}).items())]
    found += [SimulationRefusal(f"it would remove {name}", "removal") for name in plan.removals]
    for name, want in sorted(missed.items()):
        cause = "older-release" if name in plan.newer else "plan-misses-release"
        found.append(SimulationRefusal(f"{name} would be {reached.get(name, 'absent')} and not {want}", cause))
    if missed and plan.in_the_way:
        found.append(SimulationRefusal(f"to get there {family.name} would have to remove {', '.join(sorted(plan.in_the_way))}", "removal"))
    if missed and not named:  # what the release names may need one of these
        found += [SimulationRefusal(f"{name}, which the release does not name, is {by}", "held") for name, by in sorted(held.items())]
    found += [
        SimulationRefusal(f"{one.path} has {one.free // MIB} MiB free, the upgrade needs {-(-one.needed // MIB)} MiB", "space")
        for one in plan.short
    ]
    return found


def refusals(text: str, release: Release, installed: Mapping[str, str]) -> list[str]:
    return [one.says for one in objections(text, release, installed)]
