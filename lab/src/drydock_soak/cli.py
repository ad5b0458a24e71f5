"""The command line of the soak."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from drydock_lab import instance as instances
from drydock_lab.errors import LabError
from drydock_soak.ending import Ended, Ending
from drydock_soak.nemesis import LONG, SHORT
from drydock_soak.outcome import Report
from drydock_soak.programs import Programs
from drydock_soak.run import Run, Setup
from drydock_soak.stage import stage
from drydock_soak.topology import Topology


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    ending = Ending()
    ending.listen()
    try:
        return soak(options, ending)
    except LabError as problem:
        sys.stderr.write(f"soak: {problem}\n")
        return 1
    except Ended as signalled:
        sys.stderr.write(f"soak: {signalled}, and nothing of it goes on\n")
        return signalled.exit_code


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


def soak(options: argparse.Namespace, ending: Ending) -> int:
    this = instances.load()
    setup = Setup(Programs(options.java, options.etcd), Topology(this.id), this.state / "soak", SHORT if options.short else LONG)
    reports = []
    for seed in range(options.seed, options.seed + options.runs):
        with stage(setup.topology, options.etcd, setup.folder, ending) as cluster:
            report = Run(setup, cluster, seed).run()
        reports.append(report)
        sys.stdout.write(report.line() + "\n")
        sys.stdout.writelines(f"seed {seed} proves nothing: {few}\n" for few in report.too_few)
        sys.stdout.flush()
    sys.stdout.write(json.dumps(summary(reports)) + "\n")
    return 1 if any(report.violations or report.too_few for report in reports) else 0


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
