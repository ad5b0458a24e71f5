"""Running the programs of the operating system. Every call has a time-out and says what failed."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Sequence
from pathlib import Path

from drydock_lab.errors import LabError

SECONDS_MAX = 60.0


def run(
    command: Sequence[str],
    *,
    stdin: str | None = None,
    check: bool = True,
    seconds_max: float = SECONDS_MAX,
    environment: dict[str, str] | None = None,
    directory: Path | None = None,
) -> str:
    """Runs a command to its end and returns what it printed."""
    try:
        result = subprocess.run(
            list(command),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=seconds_max,
            check=False,
            env=environment,
            cwd=directory,
        )
    except FileNotFoundError:
        raise LabError(f"the program {command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise LabError(f"`{' '.join(command)}` did not end within {seconds_max:.0f} s") from None
    if check and result.returncode != 0:
        raise LabError(f"`{' '.join(command)}` failed ({result.returncode}): {(result.stderr or result.stdout).strip()}")
    return result.stdout


async def run_async(command: Sequence[str], *, stdin: str | None = None, check: bool = True) -> str:
    """The same beside a running event loop."""
    return await asyncio.to_thread(run, command, stdin=stdin, check=check)
