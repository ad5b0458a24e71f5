"""What came of a run: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drydock_crashes.hosts import Effect
from drydock_stack import audit

ENDS = ("upgraded", "skipped", "reverted", "quarantined", "cancelled")
ENDED = ("Succeeded", "Degraded", "Aborted")
OBEYED = {"pause": ("Paused",), "resume": ("Running", *ENDED), "abort": ("Aborting", "Aborted")}


def forgotten(command: str, rollout: Mapping[str, Any]) -> list[str]:
    """What is wrong with a rollout that has answered this command, and has been given no other since."""
    state = rollout.get("state")
    return [] if state in OBEYED[command] else [f"{rollout['id']} answered its {command} and is {state}"]


@dataclass(frozen=True)
class Ended:
    """A rollout as it was found at the end.

    ``expected``: the end of each of its hosts; ``rollout``, ``upgrades`` and ``findings`` as the API answers.
    """

    expected: Mapping[str, str]
    rollout: Mapping[str, Any]
    upgrades: Sequence[Mapping[str, Any]]
    findings: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """All of a run. ``held``: locks that are left; ``unmet``: points where nobody died; ``late``: rollouts that did not end in time;
    ``lost``: commands that were answered and forgotten."""

    points: int
    rollouts: Sequence[Ended]
    effects: Sequence[Effect]
    held: Sequence[str] = ()
    unmet: Sequence[str] = ()
    late: Sequence[str] = ()
    lost: Sequence[str] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)

    def violations(self) -> list[str]:
        found = [f"{point} was not met" for point in self.unmet]
        found += [f"{rollout} did not end in time" for rollout in self.late]
        found += list(self.lost)
        found += [f"lock {lock} is left" for lock in self.held]
        for ended in self.rollouts:
            found += _rollout(ended)
        jobs = Counter(effect.job for effect in self.effects)
        found += [f"job {job} was done {times} times" for job, times in jobs.items() if times > 1]
        return found + self._updates()

    def _updates(self) -> list[str]:
        """A host is updated as often as a rollout says that it upgraded it, whatever grants it had there."""
        done = Counter(effect.host for effect in self.effects if effect.step == "Update")
        told = Counter(str(row["host"]) for ended in self.rollouts for row in ended.upgrades if row["state"] == "Upgraded")
        return [
            f"{host} was updated {done[host]} times, and {told[host]} rollouts say that they upgraded it"
            for host in sorted(done | told)
            if done[host] != told[host]
        ]


def _rollout(ended: Ended) -> list[str]:
    name = ended.rollout["id"]
    found = []
    if ended.rollout.get("state") not in ENDED:
        found.append(f"{name} is still {ended.rollout.get('state')}")
    ends = {str(row["host"]): str(row["state"]) for row in ended.upgrades}
    found += [f"{host} of {name} is {ends.get(host)}, not {end}" for host, end in ended.expected.items() if ends.get(host) != end]
    counted = Counter(end.lower() for end in ends.values())
    told = {end: ended.rollout.get(end, 0) for end in ENDS}
    adds_up = sum(told.values()) == ended.rollout.get("hostCount") == len(ended.upgrades)
    if not adds_up or told != {end: counted[end] for end in ENDS}:
        found.append(f"{name} counts {told} of {ended.rollout.get('hostCount')}, its hosts are {dict(counted)}")
    return found + audit.faults(name, ended.findings)
