"""The command line of the soak."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from drydock_lab import instance as instances
from drydock_lab.errors import LabError
from drydock_soak.cluster import Cluster
from drydock_soak.nemesis import LONG, SHORT
from drydock_soak.programs import Programs
from drydock_soak.run import Report, Setup, run
from drydock_soak.topology import Topology


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    try:
        return soak(options)
    except LabError as problem:
        sys.stderr.write(f"soak: {problem}\n")
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m drydock_soak", description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the others count on")
    parser.add_argument("--short", action="store_true", help="faults as short as in `make test`")
    parser.add_argument("--etcd", type=Path, required=True, help="the etcd program")
    parser.add_argument(
        "--java",
        nargs=argparse.REMAINDER,
        required=True,
        help="the command that starts a JVM with the soak's classes; everything after it belongs to it",
    )
    return parser


def soak(options: argparse.Namespace) -> int:
    this = instances.load()
    topology = Topology(this.id)
    folder = this.state / "soak"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        setup = Setup(Programs(options.java, options.etcd), topology, folder, SHORT if options.short else LONG)
        reports = [_fresh(setup, options.seed + number) for number in range(options.runs)]
    sys.stdout.write(json.dumps(summary(reports)) + "\n")
    return 1 if any(report.violations for report in reports) else 0


def _fresh(setup: Setup, seed: int) -> Report:
    """A run on a cluster of its own."""
    setup.topology.create()
    data = setup.folder / "etcd"
    shutil.rmtree(data, ignore_errors=True)
    cluster = Cluster(setup.topology, setup.programs.etcd, data)
    try:
        cluster.start()
        report = run(setup, cluster, seed)
    finally:
        cluster.stop()
        setup.topology.remove()
    sys.stdout.write(report.line() + "\n")
    sys.stdout.flush()
    return report


def summary(reports: Sequence[Report]) -> dict[str, object]:
    """All runs in one object."""
    gaps: dict[str, float] = {}
    for report in reports:
        for kind, seconds in report.figures["gapSeconds"].items():
            gaps[kind] = max(gaps.get(kind, 0.0), seconds)
    total = {
        name: sum(report.figures[name] for report in reports) for name in ("grants", "ofSeveralHosts", "effects", "staleRefused", "lapsed")
    }
    broken = sum(len(report.violations) for report in reports)
    return {"soak": "locks", "runs": len(reports), **total, "violations": broken, "longestGapSeconds": gaps}
