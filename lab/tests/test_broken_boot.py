"""What `doesNotBoot` leaves on a disk: the start of release 1 goes on, that of release 2 ends before anything is there to be reached."""

import os
import subprocess
from pathlib import Path

import pytest

from drydock_lab.golden_image import RESOURCES
from drydock_lab.host_faults import MISHAPS


@pytest.mark.parametrize(("release", "reached"), [("1", ["ip", "mkdir"]), ("2", ["sleep"])])
def test_only_the_start_of_release_2_comes_to_nothing(tmp_path: Path, release: str, reached: list[str]) -> None:
    start, told = tmp_path / "1", tmp_path / "fleet-release"
    start.write_bytes((RESOURCES / "stage-1").read_bytes())
    start.chmod(0o755)
    told.write_text(f"NAME=fleet\nRELEASE={release}\n")
    script = MISHAPS["doesNotBoot"].script.replace("/etc/runit/1", str(start)).replace("/etc/fleet-release", str(told))
    subprocess.run(["sh", "-c", script], check=True, timeout=10)
    assert _ran(tmp_path, start) == reached


def _ran(folder: Path, start: Path) -> list[str]:
    """The programs that a start calls, of those that would do something to this machine or not end."""
    programs, ran = folder / "programs", folder / "ran"
    programs.mkdir()
    for name in ("ip", "mkdir", "sleep"):
        (programs / name).write_text(f"#!/bin/sh\necho {name} >> {ran}\n")
        (programs / name).chmod(0o755)
    subprocess.run([start], check=True, timeout=10, env={"PATH": f"{programs}:{os.environ['PATH']}"})
    return ran.read_text().split()
