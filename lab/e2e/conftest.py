"""One stack and one lab for all end-to-end tests of a run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet import Fleet

from drydock_stack import instance, java, stack

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def installation() -> Iterator[Fleet]:
    this = instance.load(ROOT)
    java.build(ROOT)
    with stack.alone(this):
        stack.stop_outdated(this)
    fleet = Fleet(this)
    fleet.up()
    yield fleet
    with stack.alone(this):
        stack.down(this)


@pytest.fixture
def fleet(installation: Fleet) -> Fleet:
    installation.ready()
    return installation
