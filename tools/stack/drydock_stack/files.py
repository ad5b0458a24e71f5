"""Writing files so that a reader, or a crash, never sees half of one."""

import os
import tempfile
from pathlib import Path


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """Replaces ``path`` in one step; its folder is created. Secrets get ``mode=0o600`` before they have any content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        os.fchmod(descriptor, mode)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_if_changed(path: Path, text: str, mode: int = 0o644) -> None:
    """Leaves the file alone, its time included, when it already says this."""
    if not path.exists() or path.read_text() != text:
        write(path, text, mode)


def write_once(path: Path, text: str, mode: int = 0o644) -> str:
    """Writes ``path`` only if it does not exist and returns what is there now."""
    if not path.exists():
        write(path, text, mode)
    return path.read_text()


def link(path: Path, target: Path) -> None:
    """Makes ``path`` a symbolic link to ``target`` in one step, whatever it was before."""
    if path.is_symlink() and Path(os.readlink(path)) == target:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(path)


def tail(path: Path, lines: int, start: int = 0) -> str:
    """The last lines of a log, not reaching back before the byte ``start``."""
    if not path.exists():
        return ""
    with path.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        stream.seek(max(start, end - 64 * 1024))
        return "\n".join(stream.read().decode(errors="replace").splitlines()[-lines:])
