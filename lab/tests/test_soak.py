"""Short runs of the soak on a real cluster of three, with every fault there is; and one in which the checker must find something."""

import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from drydock_soak.cluster import Cluster
from drydock_soak.ending import Ending
from drydock_soak.nemesis import CLIENTS_PAUSED, SHORT, Fault
from drydock_soak.programs import Programs
from drydock_soak.run import Run, Setup
from drydock_soak.stage import stage
from drydock_soak.topology import Topology
from drydock_stack import builds, instance, java

pytestmark = pytest.mark.soak

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("DRYDOCK_TEST_SEED", "1")) % 1_000_000


@pytest.fixture(scope="module")
def setup() -> Setup:
    this = instance.load(ROOT)
    java.build(ROOT)
    programs = Programs(java.virtual_machine(ROOT, "soak"), builds.etcd(ROOT) / "etcd")
    return Setup(programs, Topology(this.id), this.state / "soak", SHORT)


@pytest.fixture(scope="module")
def cluster(setup: Setup) -> Iterator[Cluster]:
    with stage(setup.topology, setup.programs.etcd, setup.folder, Ending()) as running:
        yield running


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_nothing_is_granted_twice_out_of_order_or_never(setup: Setup, cluster: Cluster, seed: int) -> None:
    report = Run(setup, cluster, seed).run()
    assert report.violations == (), f"{report.line()}; its histories are in {setup.histories(seed)}"
    assert report.too_few == [], report.line()


def test_without_the_fence_the_checker_finds_stale_effects(setup: Setup, cluster: Cluster) -> None:
    """The control: holders stand still past their lease, and the register takes what they do when they wake up."""
    few = dataclasses.replace(setup.profile, clients=32, stubborn=True)
    unfenced = dataclasses.replace(setup, profile=few, fenced=False)
    # Until their tickets in the queue have lapsed as well, so that others get the hosts and begin.
    fault = Fault(CLIENTS_PAUSED, 3.0, 4.0 * few.lock_lease, 0)
    report = Run(unfenced, cluster, SEED).run([[fault]])
    assert report.rules == {"stale effect"}, report.line()
