"""`python -m drydock_lab traffic`."""

from __future__ import annotations

import argparse
import asyncio
import secrets

from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.plan import plan
from drydock_lab.progress import say
from drydock_lab.traffic.generator import Generator
from drydock_lab.traffic.schedule import sequence

PER_SECOND = 40.0
PER_SECOND_MAX = 500.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rate", type=float, default=PER_SECOND, help=f"requests per second (default {PER_SECOND:.0f})")
    parser.add_argument("--seed", type=int, help="repeats the sequence of an earlier run (default: a new one, printed)")
    parser.add_argument("--seconds", type=float, help="stop by itself after this time (default: run until TERM)")


def generate(instance: Instance, options: argparse.Namespace) -> None:
    """Writes `.drydock/lab/traffic.json` every second and, with `finished` true, at its end."""
    if not 0 < options.rate <= PER_SECOND_MAX:
        raise LabError(f"--rate must be above 0 and at most {PER_SECOND_MAX:.0f}")
    ports = {application.name: application.front_end for application in plan(instance, 1).applications}
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    say(f"traffic: seed {seed}, {options.rate:g} requests a second to {', '.join(ports)}")
    about: dict[str, object] = {"seed": seed, "rate": options.rate}
    generator = Generator(ports, sequence(seed, list(ports), options.rate), instance.lab / "traffic.json", about)
    asyncio.run(generator.run(options.seconds))
    total = generator.tally.total
    say(f"traffic: {total.failed} of {total.requests} requests failed {dict(total.kinds) or ''}".rstrip())
