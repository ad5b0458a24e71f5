"""What staging saves: how long hosts are out of service when their packages were downloaded before, and when they were not.

python lab/e2e/bench_staging.py --hosts 4 --rounds 1; the last line is one JSON object. A round is four rollouts over all hosts of
the lab, under traffic: with, without, without, with. So what grows or fades in the course of a run does neither good.
"""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import fault_injection
import outages
from field import packages_slow
from fleet import Fleet, eventually, installed, unharmed

from drydock_lab import instance, large
from drydock_lab.errors import LabError
from drydock_soak.ending import Ended, Ending
from drydock_stack import release_check
from drydock_stack.failure import StackError
from drydock_stack.lab import Machines

ROOT = Path(__file__).resolve().parents[2]
WITH, WITHOUT = "with", "without"
ROUND = (WITH, WITHOUT, WITHOUT, WITH)
MIRROR_BYTES_PER_SECOND = 2_000_000
ROLLOUT_SECONDS_MAX = 900


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=4, help="how many hosts the lab has, three of ten of them with dnf")
    parser.add_argument("--rounds", type=int, default=1, help="how often with, without, without, with")
    options = parser.parse_args()
    if options.hosts < 2 or options.rounds < 1:
        parser.error("there must be 2 hosts or more, as one of them has to serve, and 1 round or more")
    Ending().listen()
    try:
        told = bench(Machines(options.hosts, rpm=options.hosts * 3 // 10), options.rounds)
    except Ended as signalled:
        sys.stderr.write(f"bench: {signalled}, and nothing of it goes on\n")
        return signalled.exit_code
    except (AssertionError, LabError, StackError) as failure:
        sys.stderr.write(f"bench: {failure}\n")
        return 1
    say(json.dumps({"bench": "staging", "hosts": options.hosts, **told}))
    return 0


def bench(machines: Machines, rounds: int) -> dict[str, object]:
    """What was measured over the lab's own link, and over a slow one to large packages."""
    with installed(ROOT, machines) as fleet, half_at_once(fleet):
        local = Leg("local", fleet.release_file)
        measure(fleet, local, rounds)
        slow = Leg("mirror", large.offer(instance.load(fleet.instance.state / "instance.json")))
        with packages_slow(fleet, MIRROR_BYTES_PER_SECOND):
            measure(fleet, slow, rounds)
    least = large.BYTES / MIRROR_BYTES_PER_SECOND
    fetched = slow.updates[WITHOUT]
    assert min(fetched) > least, f"the link was not slow: {large.BYTES} bytes take {least:.0f} s, and an Update took {min(fetched):.1f} s"
    return {leg.name: leg.told() for leg in (local, slow)}


@dataclass(frozen=True)
class Leg:
    """Rollouts to one release over one link; the seconds of each host, with and without."""

    name: str
    release_file: Path
    away: dict[str, list[float]] = field(default_factory=lambda: {WITH: [], WITHOUT: []})
    updates: dict[str, list[float]] = field(default_factory=lambda: {WITH: [], WITHOUT: []})

    def told(self) -> dict[str, object]:
        """From drain to return, and of that the Update."""
        return {way: {**outages.summary(self.away[way]), "update": outages.summary(self.updates[way])} for way in (WITH, WITHOUT)}


def restart(fleet: Fleet, way: str) -> None:
    """The server asks hosts before it grants them, which is when they download, or it does not. It is a fresh one before each rollout:
    one that has run for a while is faster."""
    fleet.server_down()
    if way == WITH:
        fleet.server_up()
    else:
        fleet.server_up(DRYDOCK_PREFLIGHTS_OPEN_MAX="0")


def measure(fleet: Fleet, leg: Leg, rounds: int) -> None:
    for way in ROUND * rounds:
        began = time.monotonic()
        restart(fleet, way)
        away, updates = one(fleet, leg, way)
        leg.away[way] += away.values()
        leg.updates[way] += updates.values()
        took, of_it = (outages.summary([*measured.values()]) for measured in (away, updates))
        says = f"{took['median']} s from drain to return ({took['min']} to {took['max']}), {of_it['median']} s of it the update"
        say(f"{leg.name}, {way} staging: {says}; {len(away)} hosts, {time.monotonic() - began:.0f} s in all")


def one(fleet: Fleet, leg: Leg, way: str) -> tuple[dict[str, float], dict[str, float]]:
    """A rollout over all hosts, which begin on release 1: for each the seconds from its drain to its return, and of its Update."""
    hosts, name = fleet.lab.hosts(), str(json.loads(leg.release_file.read_text())["name"])
    fleet.ready()
    fleet.sre.must("release", "add", str(leg.release_file))
    with fleet.witnessed() as reports:
        rollout = fleet.start(hosts, f"staging-{leg.name}-{way}", release=name)
        ended = fleet.ended(rollout, ROLLOUT_SECONDS_MAX)
    assert (ended["state"], ended["upgraded"]) == ("Succeeded", len(hosts)), fleet.upgrades(rollout)
    eventually("no hold is left", lambda: not fleet.held(), 60)
    unharmed(reports)
    wrong = {host: text for host, text in release_check.upgraded(fleet.lab, leg.release_file).items() if text}
    assert not wrong, f"not on release {name}: {wrong}"
    staged = {event["host"] for event in fault_injection.events(fleet, rollout, "PreflightPassed")}
    assert staged == (set(hosts) if way == WITH else set()), f"{way} staging, and {sorted(staged)} were asked before"

    def all_told() -> tuple[dict[str, float], dict[str, float]] | None:
        events = [event for kind in ("JobClaimed", "JobDone") for event in fault_injection.events(fleet, rollout, kind)]
        away, updates = outages.seconds(events, "Drain", "Recover"), outages.seconds(events, "Update", "Update")
        return (away, updates) if set(away) == set(updates) == set(hosts) else None

    return eventually("the events tell of all hosts when they were drained and back", all_told, 30)


@contextlib.contextmanager
def half_at_once(fleet: Fleet) -> Iterator[None]:
    """Policies that let half of the hosts of each application go at a time: those of the lab let few hosts go one by one."""
    kept = {path: path.read_text() for path in sorted((fleet.lab.folder / "policies").glob("*.yaml"))}
    try:
        for path, text in kept.items():
            half = (len(fleet.carrying(path.stem)) + 1) // 2
            rule = f"    - {{maxUnavailable: {half}}}"
            path.write_text("".join(f"{rule if line.startswith('    - {') else line}\n" for line in text.splitlines()))
        yield  # `Fleet.ready` puts them in force.
    finally:
        for path, text in kept.items():
            path.write_text(text)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
