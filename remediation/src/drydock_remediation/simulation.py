"""What apt says it would do. Read before anything is done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from drydock_remediation.commands import FULL_UPGRADE
from drydock_remediation.records import Release

INSTALL = re.compile(r"^Inst (\S+)(?: \[[^\]]*\])? \((\S+)")
REMOVE = re.compile(r"^(?:Remv|Purg) (\S+)")


@dataclass(frozen=True)
class Simulation:
    """The outcome of `apt-get -s`: versions it would install, packages it would remove."""

    installs: Mapping[str, str]
    removals: tuple[str, ...]

    @staticmethod
    def read(text: str) -> Simulation:
        installs = {match.group(1): match.group(2) for line in text.splitlines() if (match := INSTALL.match(line))}
        removals = tuple(match.group(1) for line in text.splitlines() if (match := REMOVE.match(line)))
        return Simulation(installs, removals)


def refusals(text: str, release: Release, installed: Mapping[str, str]) -> list[str]:
    """Why the upgrade must not start, empty when it may: it removes nothing, and it reaches every expected version."""
    safe, _, full = text.partition(FULL_UPGRADE)
    simulated = Simulation.read(safe)
    found = [f"it would remove {name}" for name in simulated.removals]
    reached = {**installed, **simulated.installs}
    missed = {name: want for name, want in release.packages.items() if reached.get(name) != want}
    found += [f"{name} would be {reached.get(name, 'absent')} and not {want}" for name, want in sorted(missed.items())]
    needed = Simulation.read(full).removals
    if missed and needed:
        found.append(f"to get there apt would have to remove {', '.join(sorted(needed))}")
    return found
