"""The command line of the soak of crashes."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from drydock_crashes import points
from drydock_crashes.judge import Outcome
from drydock_crashes.run import Run
from drydock_crashes.site import site
from drydock_soak.ending import Ended, Ending
from drydock_stack.failure import StackError


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m drydock_crashes", description=__doc__)
    parser.add_argument("--checkout", type=Path, required=True, help="whose build is run")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the others count on")
    parser.add_argument("--points", type=int, default=0, help="a sample of so many of them; 0: all")
    options = parser.parse_args(arguments)
    Ending().listen()
    try:
        return soak(options)
    except StackError as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    except Ended as signalled:
        sys.stderr.write(f"soak: {signalled}, and nothing of it goes on\n")
        return signalled.exit_code


def soak(options: argparse.Namespace) -> int:
    outcomes = []
    with site(options.checkout.resolve(), "crashes") as place:
        for seed in range(options.seed, options.seed + options.runs):
            chosen = points.sample(seed, options.points) if options.points else shuffled(seed)
            outcome = Run(place, seed, chosen).run()
            outcomes.append(outcome)
            sys.stdout.writelines(f"seed {seed}: {violation}\n" for violation in outcome.violations())
            sys.stdout.flush()
    sys.stdout.write(json.dumps(summary(outcomes)) + "\n")
    return 1 if any(outcome.violations() for outcome in outcomes) else 0


def shuffled(seed: int) -> list[points.Point]:
    """All of them in an order of the seed's."""
    everything = points.every()
    return random.Random(seed).sample(everything, len(everything))  # noqa: S311 - to repeat it


def summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """All runs in one object."""
    return {
        "soak": "crash",
        "points": sum(outcome.points for outcome in outcomes),
        "runs": len(outcomes),
        "violations": sum(len(outcome.violations()) for outcome in outcomes),
        "rollouts": sum(len(outcome.rollouts) for outcome in outcomes),
        "effects": sum(len(outcome.effects) for outcome in outcomes),
        "seconds": sum(outcome.figures["seconds"] for outcome in outcomes),
    }
