"""Three real etcd members: started, killed, paused and asked."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from drydock_lab.errors import LabError
from drydock_lab.waiting import wait_until
from drydock_soak.gateway import Gateway, Unreachable, encoded
from drydock_soak.topology import CLIENT_PORT, PEER_PORT, Topology

MAX_TXN_OPS = 4096
START_SECONDS = 60.0


class Member:
    """One etcd with data of its own, which outlive its process."""

    def __init__(self, topology: Topology, number: int, etcd: Path, folder: Path) -> None:
        self.number = number
        self._topology, self._etcd, self._folder = topology, etcd, folder
        self._process: subprocess.Popen[bytes] | None = None
        self.gateway = Gateway(topology.hub, topology.address(number), CLIENT_PORT)

    def start(self) -> None:
        peers = ",".join(f"m{other}=http://{self._topology.address(other)}:{PEER_PORT}" for other in self._topology.numbers)
        address = self._topology.address(self.number)
        command = [
            *("ip", "netns", "exec", self._topology.namespace(self.number), str(self._etcd)),
            f"--name=m{self.number}",
            f"--data-dir={self._folder / f'm{self.number}'}",
            f"--listen-client-urls=http://{address}:{CLIENT_PORT}",
            f"--advertise-client-urls=http://{address}:{CLIENT_PORT}",
            f"--listen-peer-urls=http://{address}:{PEER_PORT}",
            f"--initial-advertise-peer-urls=http://{address}:{PEER_PORT}",
            f"--initial-cluster={peers}",
            f"--max-txn-ops={MAX_TXN_OPS}",
            "--log-level=warn",
        ]
        with (self._folder / f"m{self.number}.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def signal(self, number: signal.Signals) -> None:
        if self._process and self._process.poll() is None:
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        if self._process:
            self._process.wait(10)

    def status(self) -> dict[str, Any]:
        """What the member says of itself; raises `Unreachable`."""
        return dict(self.gateway.call("/v3/maintenance/status", {}))


class Cluster:
    """All members, and what an administrator would ask them."""

    def __init__(self, topology: Topology, etcd: Path, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.members = [Member(topology, number, etcd, folder) for number in topology.numbers]
        self._topology = topology
        self.folder = folder

    @property
    def endpoints(self) -> str:
        return ",".join(f"http://{self._topology.address(number)}:{CLIENT_PORT}" for number in self._topology.numbers)

    def start(self) -> None:
        for member in self.members:
            member.start()
        self.await_all()

    def stop(self) -> None:
        for member in self.members:
            member.kill()

    def await_all(self) -> None:
        """Returns when every member follows one and the same leader."""
        wait_until(lambda: len(self._leaders()) == len(self.members) and len(set(self._leaders())) == 1, START_SECONDS, "all etcd members")

    def leader(self) -> Member:
        """The member that leads, as it says itself and at least one other agrees."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            votes = [status["leader"] for status in self._statuses().values()]
            for member, status in self._statuses().items():
                if status["leader"] == status["header"]["member_id"] and votes.count(status["leader"]) > 1:
                    return member
            time.sleep(0.1)
        raise LabError(f"no leader among the etcd members for {START_SECONDS:.0f} s; see {self.folder}")

    def terms(self) -> int:
        """Raft's term: one more for each election."""
        return max(int(status["raftTerm"]) for status in self._statuses().values())

    def get(self, key: str) -> str | None:
        """The value of a key as the gateway encodes it, by whichever member answers; None when there is none."""
        found = self.ask("/v3/kv/range", {"key": encoded(key)}).get("kvs", [])
        return found[0]["value"] if found else None

    def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        deadline = time.monotonic() + START_SECONDS
        while True:
            for member in self.members:
                try:
                    return dict(member.gateway.call(path, body, 2.0))
                except Unreachable as problem:
                    if time.monotonic() > deadline:
                        raise LabError(f"no etcd member answers: {problem}") from problem

    def _leaders(self) -> list[str]:
        return [status["leader"] for status in self._statuses().values() if status.get("leader", "0") != "0"]

    def _statuses(self) -> dict[Member, dict[str, Any]]:
        found = {}
        for member in self.members:
            try:
                status = member.status()
            except Unreachable:
                continue
            if "leader" in status:
                found[member] = status
        return found
