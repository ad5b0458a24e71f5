"""Short runs of the soak on real clusters of three, with every fault there is; and one in which the checker must find something."""

import dataclasses
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from drydock_soak.cluster import Cluster
from drydock_soak.ending import Ending
from drydock_soak.nemesis import CLIENTS_PAUSED, SHORT, Fault
from drydock_soak.outcome import Report
from drydock_soak.programs import Programs
from drydock_soak.run import Run, Setup
from drydock_soak.stage import stage
from drydock_soak.topology import Topology
from drydock_stack import builds, instance, java

pytestmark = pytest.mark.soak

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("DRYDOCK_TEST_SEED", "1")) % 1_000_000


def seeded(seed: int) -> Callable[[Setup, Cluster], Report]:
    return lambda setup, cluster: Run(setup, cluster, seed).run()


def unfenced(setup: Setup, cluster: Cluster) -> Report:
    """Holders stand still past their lease, and the register takes what they do when they wake up.

    Twice: who was about to renew hears first of all that its lock is gone, and on a busy machine that may be all of them.
    """
    few = dataclasses.replace(setup.profile, clients=32, stubborn=True)
    # Until their tickets in the queue have lapsed as well, so that others get the hosts and begin.
    fault = Fault(CLIENTS_PAUSED, 3.0, 4.0 * few.lock_lease, 0)
    return Run(dataclasses.replace(setup, profile=few, fenced=False), cluster, SEED).run([[fault] * 2])


RUNS = {"a": seeded(SEED), "b": seeded(SEED + 1), "c": unfenced}


@pytest.fixture(scope="module")
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


@pytest.mark.parametrize("place", ["a", "b"])
def test_nothing_is_granted_twice_out_of_order_or_never(begun: dict[str, Future[Report]], place: str) -> None:
    report = begun[place].result()
    assert report.violations == (), f"{report.line()}; its histories are in .drydock/soak-{place}"
    assert report.too_few == [], report.line()


def test_without_the_fence_the_checker_finds_stale_effects(begun: dict[str, Future[Report]]) -> None:
    report = begun["c"].result()
    assert report.rules == {"stale effect"}, report.line()
