"""The lab hosts that all tests against real hosts share: making them costs more than most of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .lab_hosts import ROOT, Lab


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
