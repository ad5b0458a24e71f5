"""A named point ends the program once, and says that it was hit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"
PROGRAM = "from drydock_remediation.crash import reach; reach('first'); print('first'); reach('second'); print('second')"


def run(state: Path, points: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "DRYDOCK_STATE_DIR": str(state), "DRYDOCK_CRASH_AT": points}
    done = subprocess.run([sys.executable, "-u", "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout


def test_it_dies_at_each_named_point_once_and_leaves_a_mark(tmp_path: Path) -> None:
    assert run(tmp_path, "second,first") == (-signal.SIGKILL, "")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["crash-hit-first"]
    assert run(tmp_path, "second,first") == (-signal.SIGKILL, "first\n")
    assert run(tmp_path, "second,first") == (0, "first\nsecond\n")


def test_points_nobody_named_are_survived(tmp_path: Path) -> None:
    assert run(tmp_path, "") == (0, "first\nsecond\n")
    assert list(tmp_path.iterdir()) == []
