"""Which pages Vale reads, and how it is called. The rules are in ``tools/vale``."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from drydock_stack import builds

GENERATED = "Written by `"
DECISIONS = "adr"  # They say what was thought on the day; nobody goes back to polish them.
NOT_OURS = {"target", "node_modules"}


def run(root: Path) -> int:
    """Vale over all pages; its findings go to stdout, one on a line."""
    code, found = read(root, pages(root))
    sys.stdout.write(found)
    return code


def pages(root: Path) -> list[Path]:
    """The pages written by people for people: the README of each folder, and ``docs/`` without decisions and generated pages."""
    found = [page for page in root.rglob("README.md") if not _foreign(page.relative_to(root))]
    found += [page for page in (root / "docs").rglob("*.md") if page.relative_to(root / "docs").parts[0] != DECISIONS]
    return sorted({page for page in found if GENERATED not in page.read_text()[:500]})


def read(root: Path, files: Sequence[Path]) -> tuple[int, str]:
    """Vale's exit code for these files, and what it says."""
    vale = builds.vale(root) / "vale"
    command = [str(vale), "--config", str(root / "tools" / "vale" / "vale.ini"), "--output=line", *map(str, files)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def _foreign(page: Path) -> bool:
    return any(part in NOT_OURS or part.startswith(".") for part in page.parts)
