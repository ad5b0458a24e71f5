"""What the stack's tests share."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    """A process of ours that does nothing, for up to a minute."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield child
    child.kill()
    child.wait()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A second checkout: its own state folder, the pinned modules of this one."""
    root = tmp_path / "checkout"
    (root / "tools").mkdir(parents=True)
    for module in ("etcd", "temporal"):
        (root / "tools" / module).symlink_to(ROOT / "tools" / module)
    return root
