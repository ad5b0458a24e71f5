"""Runs hostrun, or a copy with a planted bug, against a root of its own."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[3] / "proto" / "src" / "main" / "host" / "hostrun"

# (text in hostrun, what to put in its place)
Bug = tuple[tuple[str, str], ...]


@dataclasses.dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


class Hostrun:
    """hostrun with its state, boot id and the locks of dpkg and rpm in one directory."""

    def __init__(self, directory: Path, bug: Bug = ()) -> None:
        self.directory = directory
        self.root = directory / "root"
        self.program = directory / "hostrun"
        self.dpkg = directory / "dpkg"
        self.dpkg.mkdir(parents=True)
        self.boot_id = directory / "boot_id"
        self.boot_id.write_text("first-boot\n")
        text = SOURCE.read_text()
        for old, new in bug:
            assert text.count(old) == 1, f"the planted bug no longer fits hostrun: {old!r}"
            text = text.replace(old, new)
        self.program.write_text(text)

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "HOSTRUN_ROOT": str(self.root),
            "HOSTRUN_DPKG": str(self.dpkg),
            "HOSTRUN_RPM": str(self.dpkg),
            "HOSTRUN_BOOT_ID": str(self.boot_id),
            "DIED": str(self.directory / "died"),
        }

    def begin(self, *arguments: str, launcher: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *launcher, str(self.program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self.environment(),
        )

    def begin_run(self, token: str, key: str, script: str, deadline: float = 20) -> subprocess.Popen[str]:
        options = ("--token", token, "--key", key, "--deadline", str(deadline))
        return self.begin("run", *options, "--", "sh", "-c", script)

    def run(self, token: str, key: str, script: str, deadline: float = 20) -> Answer:
        return ended(self.begin_run(token, key, script, deadline))

    def token(self, token: str) -> Answer:
        return ended(self.begin("token", "--token", token))

    def state(self, *arguments: str) -> dict[str, Any]:
        answer = ended(self.begin("state", *arguments))
        assert answer.code == 0, answer.err
        found: dict[str, Any] = json.loads(answer.out)
        return found

    def effects(self) -> list[str]:
        """What commands wrote with `self.effect(...)`: each line is one real execution."""
        path = self.directory / "effects"
        return path.read_text().split() if path.exists() else []

    def effect(self, name: str) -> str:
        return f"echo {name} >> {self.directory}/effects"

    def gate(self, seconds: int = 20) -> str:
        """Shell text that waits until `open_gate`, at most so long."""
        return f"n=0; while [ ! -e {self.directory}/gate ] && [ $n -lt {seconds * 20} ]; do n=$((n+1)); sleep 0.05; done"

    def open_gate(self) -> None:
        (self.directory / "gate").touch()

    def processes(self, key: str) -> tuple[int, int]:
        """Supervisor and command of a running key."""
        command = int((self.root / "runs" / key / "pid").read_text())
        fields = Path(f"/proc/{command}/stat").read_text().rpartition(")")[2].split()
        return int(fields[1]), command


def ended(process: subprocess.Popen[str], seconds: float = 30) -> Answer:
    out, err = process.communicate(timeout=seconds)
    return Answer(process.returncode, out, err)


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 15) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, f"never happened: {what}"
        time.sleep(0.01)
