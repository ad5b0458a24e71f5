"""A store is put back to a copy of a minute before, amid a rollout under traffic: nobody notices, and no person is needed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from consumers import passed
from fleet import Fleet, eventually, unharmed

from drydock_stack import stack

pytestmark = [pytest.mark.e2e, pytest.mark.full]

# What is put back, and what has to be started anew with it: Temporal's memory is younger than its rows then.
RESTARTED = {"postgres": ("postgres", "temporal"), "etcd": ("etcd",)}
DATA = {"postgres": Path("pg") / "data", "etcd": Path("etcd")}
SECONDS = 60


@pytest.fixture
def short_recovery(installation: Fleet) -> Iterator[Fleet]:
    """No program of this lab holds a session lock for an hour."""
    installation.ready()
    installation.server_down()
    installation.server_up(DRYDOCK_RECOVERY_WAIT_SECONDS="30")
    yield installation
    installation.server_down()
    installation.server_up()
    installation.let_go(installation.lab.hosts())


def copied(fleet: Fleet, store: str) -> Path:
    """A copy of its data as they are now; it is away for a moment meanwhile."""
    copy = fleet.instance.state / "put-back"
    shutil.rmtree(copy, ignore_errors=True)
    with stack.alone(fleet.instance):
        stack.down(fleet.instance, [store])
        shutil.copytree(fleet.instance.state / DATA[store], copy, symlinks=True)
        stack.up(fleet.instance, [store])
    return copy


def put_back(fleet: Fleet, store: str, copy: Path) -> None:
    data = fleet.instance.state / DATA[store]
    with stack.alone(fleet.instance):
        stack.down(fleet.instance, RESTARTED[store])
        shutil.rmtree(data)
        copy.rename(data)
        stack.up(fleet.instance, RESTARTED[store])


@pytest.mark.parametrize("store", ["postgres", "etcd"])
def test_every_host_is_upgraded_without_a_person(short_recovery: Fleet, store: str) -> None:
    fleet = short_recovery
    with fleet.witnessed() as reports:
        rollout = fleet.start(fleet.lab.hosts(), f"put-back-{store}")

        def begun() -> bool:
            return any(row["state"] == "InProgress" for row in fleet.upgrades(rollout).values())

        eventually("the first host is worked on", begun, 120)
        copy = copied(fleet, store)
        eventually("a minute is over", passed(SECONDS), SECONDS + 30)
        put_back(fleet, store, copy)
        fleet.ended(rollout, 900)
    states = {host: row["state"] for host, row in fleet.upgrades(rollout).items()}
    # Whose upgrade ended after the copy is found on the release, and nothing is done to it.
    assert set(states.values()) <= {"Upgraded", "Skipped"}, fleet.upgrades(rollout)
    assert fleet.differences() == dict.fromkeys(fleet.lab.hosts(), "")
    assert fleet.held() == []
    accused = [fault for fault in fleet.violated(rollout) if "Unknown, because" not in fault and "nobody says why" not in fault]
    assert accused == [], "what was lost with the copy is not known, and nobody is accused of it"
    unharmed(reports)
