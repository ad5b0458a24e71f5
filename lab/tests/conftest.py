"""What tests share: one real lab for those marked `lab`, and the runs of the soak."""

import hashlib
import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
import soak_runs as soak
from real_lab import HOSTS, RPM, RealLab

from drydock_soak.outcome import Report


@pytest.fixture(scope="session")
def running_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLab]:
    if os.geteuid() != 0:
        pytest.fail("a real lab needs root: run as root, or leave these tests out by -m 'not lab'")
    lab = RealLab(make_instance(tmp_path_factory.mktemp("lab")))
    try:
        lab.command("up", "--hosts", str(HOSTS), "--rpm", str(RPM))
        yield lab
    finally:
        lab.command("down")


@pytest.fixture
def lab(running_lab: RealLab, request: pytest.FixtureRequest) -> Iterator[RealLab]:
    """The lab with every host on release 1, running and in rotation; each test leaves it so, or it is reset."""
    failures = request.session.testsfailed
    yield running_lab
    if request.session.testsfailed > failures or not running_lab.gets_as_it_should_be():
        running_lab.command("up")
        running_lab.command("reset")


@pytest.fixture(scope="session")
def soak_runs() -> Iterator[dict[str, Future[Report]]]:
    """The soak's runs, each with its report to come."""
    with soak.begun() as runs:
        yield runs


@pytest.fixture(scope="session", autouse=True)
def _early(request: pytest.FixtureRequest) -> None:
    """The soak's runs begin before the first test where any looks at them: they mostly wait."""
    if any("soak_runs" in getattr(item, "fixturenames", ()) for item in request.session.items):
        request.getfixturevalue("soak_runs")


def make_instance(folder: Path) -> Path:
    """An identity of its own, so that the lab of this checkout may run beside the tests."""
    for attempt in range(100):
        digest = hashlib.sha256(f"{folder}/{attempt}".encode()).digest()
        base = 10000 + int.from_bytes(digest[:4]) % 440 * 50
        ports = {"balancerStats": base + 20, "labControl": base + 21, "balancer": base + 22}
        if all(is_free(port) for port in range(base + 20, base + 30)):
            state = folder / ".drydock"
            state.mkdir()
            subnet = f"10.{64 + digest[4] % 64}.{digest[5]}"
            document = {"id": digest.hex()[:5], "stateDir": str(state), "portBase": base, "ports": ports, "subnet": subnet}
            (state / "instance.json").write_text(json.dumps(document))
            return state / "instance.json"
    raise AssertionError("no free block of ports on this machine")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
