"""What all tests share: lab hosts, which cost more to make than most tests do, and that nobody waits without need."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from .lab_hosts import ROOT, Lab

SOON = 0.01


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """What only leaves a host or a BMC time to come to itself; those of tests come to themselves at once."""
    if "standing_lab" in request.fixturenames:
        return
    monkeypatch.setattr("drydock_remediation.jobset.PAUSE_SECONDS", SOON)
    hurried = SimpleNamespace(**{**vars(time), "sleep": lambda seconds: time.sleep(min(seconds, SOON))})
    monkeypatch.setattr("redfish.rest.v1.time", hurried)


@pytest.fixture(scope="session")
def standing_lab() -> Iterator[Lab]:
    found = Lab(ROOT / ".drydock" / "remediation-test")
    found.command("up", "--hosts", "3", "--rpm", "1")
    try:
        yield found
    finally:
        found.command("down")


@pytest.fixture
def lab(standing_lab: Lab) -> Lab:
    """Its hosts are on release 1."""
    standing_lab.command("reset")
    return standing_lab
