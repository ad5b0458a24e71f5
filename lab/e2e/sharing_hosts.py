"""Three who maintain the same hosts at the same time and know nothing of each other, and one who asks nobody."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fleet import Fleet, eventually
from host_access import JOURNAL, RUNS, HostAccess, of_journal, of_runs

from drydock_stack import release_check

PROGRAMS = Path(__file__).parent / "sharing"
ROUND_SECONDS = 180


@dataclass(frozen=True)
class Shared:
    """What came of it: who was where by the hosts' own records, and what the lock service and the lab say beside."""

    visits: list[HostAccess]
    history: dict[str, list[dict[str, Any]]]
    boots: dict[str, int]
    play: "subprocess.CompletedProcess[str]"
    rollout: dict[str, Any]


class Sharing:
    """One round of it on some hosts of a fleet."""

    def __init__(self, fleet: Fleet, hosts: list[str]) -> None:
        self.fleet = fleet
        self.hosts = hosts
        self.addresses = {host: fleet.lab.addresses()[host] for host in hosts}
        self.ssh = release_check.ssh(fleet.lab)
        self.stop = fleet.instance.state / "run" / "e2e-updaters-stop"

    def run(self) -> Shared:
        """The updaters go on until the two others have been everywhere; whoever starves fails by time."""
        self.stop.unlink(missing_ok=True)
        self.ask_all(f"rm -f {JOURNAL}")
        began, boots = time.time(), {host: self.fleet.boots(host) for host in self.hosts}
        with self.program("rogue.sh", *self.addresses.values()), self.program("fleetlock.sh", *self.named()) as updaters:
            rollout = self.fleet.start(self.hosts, "shared")
            play = self.play()
            summary = self.fleet.ended(rollout, ROUND_SECONDS)
            self.stop.touch()
            eventually("each updater has restarted its host", lambda: updaters.poll() is not None, ROUND_SECONDS)
        seen = self.ask_all(f"cat {JOURNAL}; echo --; {RUNS}")
        visits = []
        for host, text in seen.items():
            journal, _, runs = text.partition("--\n")
            visits += of_journal(host, journal.splitlines()) + of_runs(host, runs.splitlines(), began)
        more = {host: self.fleet.boots(host) - boots[host] for host in self.hosts}
        history = {host: self.history(host, began) for host in self.hosts}
        return Shared(visits, history, more, play, summary)

    def named(self) -> list[str]:
        return [f"{host}={address}" for host, address in self.addresses.items()]

    @contextlib.contextmanager
    def program(self, name: str, *arguments: str) -> "Iterator[subprocess.Popen[bytes]]":
        """A shell loop beside the body, in a process group of its own; nothing of it is left afterwards."""
        token = (self.fleet.instance.state / "token" / "updater").read_text().strip()
        variables = {"URL": self.fleet.server.url, "TOKEN": token, "STOP": str(self.stop), "JOURNAL": JOURNAL}
        with (self.fleet.instance.state / "log" / f"e2e-{name}.log").open("wb") as log:
            running = subprocess.Popen(
                [str(PROGRAMS / name), *arguments, "--", *self.ssh],
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield running
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait(timeout=10)

    def play(self) -> "subprocess.CompletedProcess[str]":
        """Another team's play on all hosts at once, under a lock: all of them or none."""
        inventory = self.fleet.instance.state / "e2e-inventory.json"
        _, *options = self.ssh
        common = {
            "ansible_ssh_common_args": shlex.join(options),
            "ansible_python_interpreter": "/usr/bin/python3",
            "journal": JOURNAL,
        }
        hosts = {host: {"ansible_host": address} for host, address in self.addresses.items()}
        inventory.write_text(json.dumps({"all": {"hosts": hosts, "vars": common}}))
        playbook = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(inventory), str(PROGRAMS / "motd.yml")]
        arguments = ["lock", "run", *self.hosts, "--reason", "message of the day", "--wait", f"{ROUND_SECONDS}s", "--", *playbook]
        return self.fleet.run("foreign", *arguments, seconds=ROUND_SECONDS + 30)

    def ask_all(self, command: str) -> dict[str, str]:
        """What a command says on each host."""

        def ask(host: str) -> str:
            call = [*self.ssh, self.addresses[host], command]
            return subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=True).stdout

        with ThreadPoolExecutor(len(self.hosts)) as pool:
            return dict(zip(self.hosts, pool.map(ask, self.hosts), strict=True))

    def history(self, host: str, since: float) -> list[dict[str, Any]]:
        """What the lock service wrote down of a host since, oldest first."""
        entries = self.fleet.sre.ask("lock", "history", "--host", host, "--count", "500")
        return [entry for entry in reversed(entries) if int(entry["at"]) >= since * 1000]
