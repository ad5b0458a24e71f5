"""What the package tool says it would do. Read before anything is done."""

from __future__ import annotations

from collections.abc import Mapping

from drydock_remediation.records import FAMILIES, Release


def refusals(text: str, release: Release, installed: Mapping[str, str]) -> list[str]:
    """Why the upgrade must not start, empty when it may: it removes nothing, and it reaches every expected version."""
    family = FAMILIES[release.family]
    plan = family.read(text)
    found = [f"it would remove {name}" for name in plan.removals]
    reached = {**installed, **plan.installs}
    missed = {name: want for name, want in release.packages.items() if want not in reached.get(name, "").split()}
    found += [f"{name} would be {reached.get(name, 'absent')} and not {want}" for name, want in sorted(missed.items())]
    if missed and plan.in_the_way:
        found.append(f"to get there {family.name} would have to remove {', '.join(sorted(plan.in_the_way))}")
    return found
