"""One stack and one lab for all end-to-end tests of a run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from consumers import Consumers
from fleet import Fleet, apply, eventually, installed

from drydock_stack import stack

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def installation() -> Iterator[Fleet]:
    with installed(ROOT) as fleet:
        yield fleet


@pytest.fixture
def fleet(installation: Fleet) -> Iterator[Fleet]:
    installation.ready()
    before = installation.rollouts()
    yield installation
    try:
        for rollout in sorted(installation.rollouts() - before):
            assert installation.violated(rollout) == [], f"the auditor found violations in rollout {rollout}"
        eventually("no hold is left", lambda: not installation.held(), 30)
    finally:
        installation.let_go(installation.lab.hosts())  # Of a test that failed; the next ones are others.


@pytest.fixture
def folder(fleet: Fleet) -> Iterator[Path]:
    """The policies of the lab, as they were again afterwards."""
    policies = fleet.lab.folder / "policies"
    kept = {path: path.read_text() for path in policies.glob("*.yaml")}
    yield policies
    for path, text in kept.items():
        path.write_text(text)
    apply(fleet, *kept)


@pytest.fixture(scope="module")
def short_leases(installation: Fleet) -> Iterator[None]:
    """A takeover takes eleven seconds instead of twenty: worth two restarts of the server where there are many."""
    installation.server_down()
    installation.server_up(DRYDOCK_JOB_LEASE_SECONDS="6")
    yield
    installation.server_down()
    installation.server_up()


@pytest.fixture
def consumers(fleet: Fleet) -> Iterator[Consumers]:
    """One consumer of each kind runs, unarmed; afterwards again, whatever a test made of them."""
    yield Consumers(fleet)
    with stack.alone(fleet.instance):
        stack.down(fleet.instance, ["adapter", "adapter2", "operator", "operator2"])
        stack.up(fleet.instance, ["adapter", "operator"])
