"""The build cache outside the checkout: entries are complete or absent, and built by one process at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from drydock_lab.commands import run
from drydock_lab.progress import say


def root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "drydock"


def entry(name: str, build: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache; when it is absent, `build` fills a temporary folder that then takes its name."""
    target = root() / name
    if target.is_dir():
        return target
    root().mkdir(parents=True, exist_ok=True)
    with (root() / f".{name}.lock").open("w") as lock:
        if not _try_lock(lock.fileno()):
            say(f"lab: another process builds {name}, waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if target.is_dir():
            return target
        for leftover in root().glob(f".{name}.build-*"):
            remove_tree(leftover)
        temporary = Path(tempfile.mkdtemp(prefix=f".{name}.build-", dir=root()))
        temporary.chmod(0o755)
        try:
            build(temporary)
            temporary.rename(target)
        except BaseException:
            remove_tree(temporary)
            raise
    return target


def remove_tree(path: Path) -> None:
    """Deletes a build folder; what is still mounted below it is unmounted first, never followed."""
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted((m for m in mounted if m.startswith(f"{path}/")), reverse=True):
        run(["umount", "--lazy", mount])
    shutil.rmtree(path, ignore_errors=True)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
