"""A running lab as tests use it: its commands, SSH to its hosts, the balancer's runtime interface."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drydock_lab import control_client, instance
from drydock_lab.plan import plan

HOSTS, RPM = 2, 1
SOURCES = Path(__file__).resolve().parents[1] / "src"


class RealLab:
    """All of it through the same doors as everybody else."""

    def __init__(self, instance_file: Path) -> None:
        self.instance_file = instance_file
        self.instance = instance.load(instance_file)
        self.folder = self.instance.lab
        self.plan = plan(self.instance, HOSTS, RPM)

    def arguments(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "drydock_lab", "--instance", str(self.instance_file), *words]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(SOURCES)}

    def command(self, *words: str) -> str:
        result = subprocess.run(self.arguments(*words), env=self.environment(), capture_output=True, text=True, timeout=600, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return control_client.call(self.instance, method, path, body)

    def host(self, name: str) -> dict[str, Any]:
        return dict(self.call("GET", f"/hosts/{name}"))

    def address(self, name: str) -> str:
        return str(self.host(name)["address"])

    def ssh(self, name: str, command: str, *options: str, check: bool = True) -> str:
        access = json.loads((self.folder / "ssh.json").read_text())
        call = ["ssh", "-i", access["keyFile"], "-o", f"UserKnownHostsFile={access['knownHostsFile']}", "-o", "BatchMode=yes"]
        call += ["-o", "StrictHostKeyChecking=yes", "-o", "GlobalKnownHostsFile=/dev/null", "-o", "ConnectTimeout=5", *options]
        result = subprocess.run(
            [*call, f"{access['user']}@{self.address(name)}", command], capture_output=True, text=True, timeout=120, check=False
        )
        assert not check or result.returncode == 0, result.stdout + result.stderr
        return result.stdout.strip()

    def reboot(self, name: str) -> None:
        """As Ansible does it: from a terminal that hangs up at once."""
        before = self.host(name)["bootId"]
        self.ssh(name, "shutdown -r 0", "-tt", check=False)
        self.eventually(lambda: self.host(name)["bootId"] not in (before, None) and not self.host(name)["notReady"])

    def rotation(self, command: str) -> str:
        with socket.create_connection(("127.0.0.1", self.instance.ports["balancerStats"]), 5) as connection:
            connection.sendall(f"{command}\n".encode())
            chunks = iter(lambda: connection.recv(65536), b"")
            return b"".join(chunks).decode()

    def sessions(self, application: str, host: str) -> int:
        return int(self._statistics(application, host)[4])

    def rotation_of(self, application: str, host: str) -> str:
        """`no check` when in rotation (nothing checks it), else what the balancer says."""
        return self._statistics(application, host)[17]

    def _statistics(self, application: str, host: str) -> list[str]:
        rows = (line.split(",") for line in self.rotation("show stat").splitlines())
        return next(row for row in rows if row[:2] == [application, host])

    def eventually(self, condition: Callable[[], bool], seconds_max: float = 30) -> None:
        deadline = time.monotonic() + seconds_max
        while not condition():
            assert time.monotonic() < deadline, f"not within {seconds_max} s"
            time.sleep(0.1)

    def gets_as_it_should_be(self, seconds_max: float = 10) -> bool:
        deadline = time.monotonic() + seconds_max
        while not self.is_as_it_should_be():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        return True

    def is_as_it_should_be(self) -> bool:
        """What every test may rely on at its beginning."""
        hosts = self.call("GET", "/hosts")["hosts"]
        states = {self.rotation_of(application.name, host["name"]) for host in hosts for application in self.plan.applications}
        return all(host["release"] == "1" and not host["notReady"] for host in hosts) and states == {"no check"}

    @contextmanager
    def background(self, *words: str) -> Iterator[None]:
        """Runs `traffic` or `observe` beside the body; its report is final afterwards."""
        report = self.folder / ("traffic.json" if words[0] == "traffic" else "observer.json")
        report.unlink(missing_ok=True)
        process = subprocess.Popen(self.arguments(*words), env=self.environment(), stdout=subprocess.PIPE, text=True)
        try:
            key = "requests" if words[0] == "traffic" else "probes"
            self.eventually(lambda: report.exists() and json.loads(report.read_text())[key] > 0)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)

    def report(self, name: str) -> dict[str, Any]:
        return dict(json.loads((self.folder / f"{name}.json").read_text()))
