"""`python -m drydock_observer --instances static.json --policies DIR --output observer.json`, until TERM."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from drydock_observer.policies import Place, UnreadablePolicyError, budgets
from drydock_observer.probe import Probe, Target
from drydock_observer.watch import Watch

INTERVAL_SECONDS = 0.15
REPORT_SECONDS = 1.0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m drydock_observer", description="Counts budget violations until TERM.")
    parser.add_argument("--instances", type=Path, required=True, help="the scheduler's allocation list")
    parser.add_argument("--policies", type=Path, required=True, help="folder with the teams' policies")
    parser.add_argument("--output", type=Path, required=True, help="report, written every second and at the end")
    parser.add_argument("--interval", type=float, default=INTERVAL_SECONDS, help="seconds between probes of one instance")
    options = parser.parse_args(arguments)
    try:
        targets, places = read_targets(options.instances), read_places(options.instances)
        watch = Watch({target.id: target.application for target in targets}, budgets(options.policies, places))
    except (OSError, ValueError, KeyError, UnreadablePolicyError) as problem:
        sys.stderr.write(f"observer: {problem}\n")
        return 1
    asyncio.run(observe(targets, watch, options.output, options.interval))
    for name, application in watch.applications.items():
        required = application.budget.required if application.budget else "?"
        sys.stdout.write(f"observer: {name}: at least {application.minimum} of {len(application.states)} up, {required} required\n")
    sys.stdout.write(f"observer: {watch.violations} budget violations\n")
    return 0


def read_targets(path: Path) -> list[Target]:
    """Every instance the scheduler has allocated, with the address of its host."""
    document = json.loads(path.read_text())
    addresses = {host["name"]: host["address"] for host in document["hosts"]}
    return [
        Target(entry["id"], entry["application"], addresses[entry["host"]], entry["port"], entry["healthPath"])
        for entry in document["instances"]
    ]


def read_places(path: Path) -> dict[str, Place]:
    """Where the scheduler put each instance."""
    document = json.loads(path.read_text())
    labels = {host["name"]: host.get("labels", {}) for host in document["hosts"]}
    return {
        entry["id"]: Place(entry["application"], entry.get("zone", ""), labels[entry["host"]], entry.get("capacity", 1))
        for entry in document["instances"]
    }


async def observe(targets: list[Target], watch: Watch, output: Path, interval_seconds: float) -> None:
    """Probes until TERM or interrupt."""
    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    probes = [Probe(target, watch.saw) for target in targets]
    # The first probes are spread over the interval, so that they never come in bursts.
    tasks = [asyncio.create_task(p.run(interval_seconds, interval_seconds * n / len(probes))) for n, p in enumerate(probes)]
    started = time.time()
    while not stop.is_set():
        write(output, report(watch, probes, started, finished=False))
        try:
            await asyncio.wait_for(stop.wait(), REPORT_SECONDS)
        except TimeoutError:
            for task in tasks:
                if task.done():
                    task.result()
    for task in tasks:
        task.cancel()
    write(output, report(watch, probes, started, finished=True))


def report(watch: Watch, probes: list[Probe], started: float, *, finished: bool) -> dict[str, Any]:
    now = time.time()
    per_second = min((probe.probes for probe in probes), default=0) / max(now - started, 0.001)
    return {
        "startedAt": started,
        "updatedAt": now,
        "finished": finished,
        "probes": sum(probe.probes for probe in probes),
        "fewestProbesPerSecond": round(per_second, 2),
        "slowestAnswerMillis": round(max((probe.slowest_millis for probe in probes), default=0.0)),
        **watch.to_json(),
        "instances": len(probes),
        "byInstance": {p.target.id: {"probes": p.probes, "failed": p.failures} for p in probes},
    }


def write(path: Path, document: dict[str, Any]) -> None:
    """In one step: a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(document, indent=1) + "\n")
    temporary.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
