"""The soak of remediation: rollout after rollout in whose middle something befalls each host, and what came of each.

python lab/e2e/soak_remediation.py --seeds 14 --hosts 20 --seed 1; the last line is one JSON object.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import fault_injection
from fleet import Fleet, installed

from drydock_soak.ending import Ended, Ending
from drydock_stack.lab import Machines

ROOT = Path(__file__).resolve().parents[2]
# One seed in so many is a rollout that re-images.
REIMAGE_EVERY = 3
# Of all hosts: what comes too late for its host is none, and hosts nothing befell say little.
INJECTED_SHARE_MIN = 0.9
# Of those that pass unseen at few moments only. Any one that has to be met and was not is wrong; the others that may pass unseen mostly do.
BITTEN_SHARE_MIN = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=14, help="how many rollouts over all hosts of the lab")
    parser.add_argument("--hosts", type=int, default=20, help="how many hosts the lab has, three of ten of them with dnf")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the others count on")
    options = parser.parse_args()
    Ending().listen()
    try:
        return soak(options.seeds, options.seed, Machines(options.hosts, rpm=options.hosts * 3 // 10))
    except Ended as signalled:
        sys.stderr.write(f"soak: {signalled}, and nothing of it goes on\n")
        return signalled.exit_code


def soak(seeds: int, first: int, machines: Machines) -> int:
    endings: list[fault_injection.Ending] = []
    violations: list[str] = []
    began = time.monotonic()
    with installed(ROOT, machines) as fleet:
        fleet.ready()
        # One has room for a few sets of jobs at once, and each mishap is a set of its own.
        with fault_injection.prepared(fleet, ["operator", "operator2"]):
            for seed in range(first, first + seeds):
                ended, violated = one(fleet, seed)
                endings += ended
                violations += violated
    told = fault_injection.summary(endings, violations=violations, seconds=round(time.monotonic() - began))
    sys.stdout.write(json.dumps(told) + "\n")
    return verdict(told, seeds * machines.hosts)


def verdict(told: dict[str, object], hosts: int) -> int:
    """The exit code, of rollouts that had so many hosts together."""
    if int(str(told["injected"])) < INJECTED_SHARE_MIN * hosts:
        sys.stderr.write(f"soak: only {told['injected']} of {hosts} hosts had something befall them, fewer than {INJECTED_SHARE_MIN:.0%}\n")
        return 1
    seldom = told["seldom_unseen"]
    assert isinstance(seldom, dict)
    if seldom["bitten"] < BITTEN_SHARE_MIN * seldom["injected"]:
        kinds = ", ".join(fault_injection.SELDOM_UNSEEN)
        sys.stderr.write(f"soak: only {seldom['bitten']} of {seldom['injected']} of {kinds} were met, fewer than {BITTEN_SHARE_MIN:.0%}\n")
        return 1
    return 1 if told["wrong"] or told["false_success"] or told["violations"] else 0


def one(fleet: Fleet, seed: int) -> tuple[list[fault_injection.Ending], list[str]]:
    """A rollout with the faults of the seed: what came of each, and what the auditor found."""
    fleet.ready()
    began, before = time.monotonic(), fleet.rollouts()
    mode = "Reimage" if seed % REIMAGE_EVERY == 0 else "PackageUpdate"
    injections = fault_injection.drawn(seed, mode, fleet.lab.families())
    endings = fault_injection.run(fleet, f"mishaps-{seed}", mode, injections)
    fault_injection.clean_up(fleet)
    violations = [violation for rollout in sorted(fleet.rollouts() - before) for violation in fleet.violated(rollout)]
    told = {"seed": seed, "mode": mode, "kinds": [one.kind for one in injections], "seconds": round(time.monotonic() - began)}
    counted = fault_injection.summary(endings, violations=violations)
    shown = {name: counted[name] for name in ("injected", "bitten", "unbitten", "missed", "violations", "wrong")}
    sys.stdout.write(json.dumps({**told, **shown}) + "\n")
    sys.stdout.flush()
    return endings, violations


if __name__ == "__main__":
    sys.exit(main())
