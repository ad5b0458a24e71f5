"""Files other processes read: written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """Replaces the file in one step, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
    temporary.replace(path)


def write_json(path: Path, document: Any) -> None:
    write(path, json.dumps(document, indent=2) + "\n")


def read(path: Path) -> str | None:
    """What a small file says; None if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return None


def field(name: str, text: str | None) -> str | None:
    """The value of `NAME=value` among lines."""
    for line in (text or "").splitlines():
        if line.startswith(f"{name}="):
            return line.partition("=")[2]
    return None
