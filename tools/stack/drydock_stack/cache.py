"""Built servers and downloads shared by all checkouts of one user: ``~/.cache/drydock/NAME-VERSION-HASH``."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from drydock_stack.failure import StackError
from drydock_stack.progress import say

LOCK_SECONDS = 1800


def folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "drydock"


def digest(*parts: bytes | str) -> str:
    """A short name for everything a build depends on."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:12]


def obtain(name: str, build: Callable[[Path], None], final_path: bool = False) -> Path:
    """The finished folder ``name``, built by ``build(folder)`` if it is not there.

    1. One builder at a time, by a lock the kernel releases with its process; the others wait and then find it built.
    2. It is built in a temporary folder and renamed when complete: what has the name is whole.
    3. A temporary folder found under the lock belongs to a dead builder and is removed.
    With ``final_path`` the folder is built under its final name (a Python environment knows its own path) and a
    marker file in it, written last, says it is whole.
    """
    target = folder() / name
    whole = (target / ".complete").exists if final_path else target.is_dir
    if whole():
        return target
    with locked(folder() / f"{name}.lock", f"another build of {name}"):
        if whole():
            return target
        for left in [target, *folder().glob(f".{name}.*")]:
            shutil.rmtree(left, ignore_errors=True)
        say(f"building {name} (once, kept in {folder()})")
        started = time.monotonic()
        if final_path:
            target.mkdir()
            build(target)
            (target / ".complete").touch()
        else:
            temporary = Path(tempfile.mkdtemp(dir=folder(), prefix=f".{name}."))
            temporary.chmod(0o755)
            build(temporary)
            os.sync()
            temporary.rename(target)
        say(f"built {name} in {time.monotonic() - started:.0f} s")
    return target


@contextlib.contextmanager
def locked(path: Path, who: str, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Holds an exclusive lock on ``path``; says whom it waits for, and gives up after ``seconds``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        deadline = time.monotonic() + seconds
        told = False
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as busy:
                if time.monotonic() > deadline:
                    raise StackError(f"Waited {seconds:.0f} s for {who}; its lock is {path}.") from busy
            if not told:
                say(f"waiting for {who}")
                told = True
            time.sleep(0.1)
        yield
