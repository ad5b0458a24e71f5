"""The Java processes of a soak, in the hub's namespace."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drydock_lab.errors import LabError

MAIN_CLASS = "dev.drydock.lock.soak.Main"
JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m")


@dataclass(frozen=True)
class Programs:
    """What is run: the command that starts a JVM with the soak's classes (without a main class), and etcd."""

    java: Sequence[str]
    etcd: Path


class Program:
    """One process. It ends when its standard input does, and with its namespace."""

    def __init__(self, programs: Programs, namespace: str, role: str, name: str, folder: Path, settings: dict[str, object]) -> None:
        self.name = name
        command = ["ip", "netns", "exec", namespace, programs.java[0], *JVM, *programs.java[1:], MAIN_CLASS, role]
        command += [f"{key}={value}" for key, value in {"process": name, **settings}.items()]
        self._log = folder / f"{name}.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    def say(self, line: str) -> None:
        if self._process.stdin:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            os.kill(self.pid, number)

    def ended(self) -> bool:
        """Whether it ended well; raises when it failed."""
        code = self._process.poll()
        if code:
            raise LabError(f"{self.name} ended with {code}; see {self._log}")
        return code == 0

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self._process.wait(10)
        if self._process.stdin:
            self._process.stdin.close()
