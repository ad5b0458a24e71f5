"""The runs of the soak that `make test` makes: two seeds with every fault there is, and one in which the checker must find something."""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from drydock_soak.cluster import Cluster
from drydock_soak.ending import Ending
from drydock_soak.nemesis import CLIENTS_PAUSED, SHORT, Fault
from drydock_soak.outcome import Report
from drydock_soak.programs import Programs
from drydock_soak.run import Run, Setup
from drydock_soak.stage import stage
from drydock_soak.topology import Topology
from drydock_stack import builds, instance, java

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("DRYDOCK_TEST_SEED", "1")) % 1_000_000
TRIES = 3


def seeded(seed: int) -> Callable[[Setup, Cluster], Report]:
    return lambda setup, cluster: Run(setup, cluster, seed).run()


def unfenced(setup: Setup, cluster: Cluster) -> Report:
    """Holders stand still past their lease, and the register takes what they do when they wake up.

    Again if nothing came of it: who was about to renew hears first of all that its lock is gone, and on a busy machine that may be all
    of them.
    """
    few = dataclasses.replace(setup.profile, clients=32, stubborn=True)
    # Until their tickets in the queue have lapsed as well, so that others get the hosts and begin.
    fault = Fault(CLIENTS_PAUSED, 3.0, 4.0 * few.lock_lease, 0)
    for _ in range(TRIES):
        report = Run(dataclasses.replace(setup, profile=few, fenced=False), cluster, SEED).run([[fault]])
        if report.violations:
            break
    return report


RUNS = {"a": seeded(SEED), "b": seeded(SEED + 1), "c": unfenced}


@contextlib.contextmanager
def begun() -> Iterator[dict[str, Future[Report]]]:
    """All runs beside each other, since they mostly wait: each with a cluster, namespaces and a folder of its own."""
    this = instance.load(ROOT)
    java.build(ROOT)
    programs = Programs(java.virtual_machine(ROOT, "soak"), builds.etcd(ROOT) / "etcd")

    def staged(place: str, run: Callable[[Setup, Cluster], Report]) -> Report:
        setup = Setup(programs, Topology(f"{this.id}{place}"), this.state / f"soak-{place}", SHORT)
        with stage(setup.topology, programs.etcd, setup.folder, Ending()) as cluster:
            return run(setup, cluster)

    with ThreadPoolExecutor(len(RUNS)) as threads:
        yield {place: threads.submit(staged, place, run) for place, run in RUNS.items()}
