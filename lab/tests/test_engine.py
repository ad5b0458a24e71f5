"""Beside a container engine, and without one."""

import sys
from pathlib import Path

import pytest

from drydock_lab import engine
from drydock_lab.instance import Instance

TOLD = "import os, sys; sys.exit(7 if 'DRYDOCK_ETCD_IMAGE' in os.environ else 3)"


def test_without_an_engine_the_command_runs_all_the_same_and_is_told_of_no_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DRYDOCK_ETCD_IMAGE", raising=False)

    nowhere = Instance("a1b2c", tmp_path, {}, "10.70.3")

    assert engine.run_beside(nowhere, tmp_path / "etcd", [sys.executable, "-c", TOLD]) == 3

    assert "no container engine: it needs dockerd" in capfd.readouterr().err
