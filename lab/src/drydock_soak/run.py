"""One run: servers, clients of their API, the faults of a seed, and what the checker says of it all."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from drydock_lab.waiting import wait_until
from drydock_soak import nemesis, outcome
from drydock_soak.checker import records
from drydock_soak.checker.backfill import Bounds
from drydock_soak.checker.state import Budget
from drydock_soak.cluster import Cluster
from drydock_soak.gateway import decoded
from drydock_soak.members import LeadingMember
from drydock_soak.nemesis import Nemesis, Profile
from drydock_soak.outcome import Histories, Report
from drydock_soak.programs import Program, Programs
from drydock_soak.register import Register
from drydock_soak.stall_detector import StallDetector
from drydock_soak.topology import Topology
from drydock_soak.witness import Witness

# Nearly always somebody waits for the busy hosts; the budget counts them only, and the quiet ones are free now and then.
HOSTS, QUIET = 20, 6
BUDGET = Budget(8, frozenset(f"h{number:02d}" for number in range(1, HOSTS - QUIET + 1)))
BOUNDS = Bounds(longest=90.0)  # Short enough to be reached in a run.
POLLING = 2  # Clients of each process that ask by FleetLock.
REBOOT_SECONDS = 6  # The maximum of their holds.
PORT = 8080  # Of the first server; seen by nobody outside the namespace.
UNDER_WAY_SECONDS = 90.0
BUSY_SECONDS, HOSTS_OF_BUSY, RECENTLY_NS = 20.0, 3, 500_000_000
DRAIN_SECONDS = 180.0
AWAKE_SECONDS = 2.0


@dataclass(frozen=True)
class Setup:
    """How runs are made; ``fenced`` off is for a control, which keeps its histories under a name of its own."""

    programs: Programs
    topology: Topology
    folder: Path
    profile: Profile
    fenced: bool = True

    def histories(self, seed: int) -> Path:
        """Where those of a run stay."""
        return self.folder / (f"seed-{seed}" if self.fenced else f"seed-{seed}-unfenced")


class Run:
    """Makes one run on a healthy cluster, and leaves it healthy."""

    def __init__(self, setup: Setup, cluster: Cluster, seed: int) -> None:
        self._setup, self._cluster, self._seed = setup, cluster, seed
        self._root = f"/soak-{seed}-{time.monotonic_ns()}/"
        self._folder = setup.histories(seed)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)

    def run(self, faults: Sequence[Sequence[nemesis.Fault]] | None = None) -> Report:
        """With the faults of the seed unless others are given."""
        profile, terms = self._setup.profile, self._cluster.terms()
        register, witness = Register(self._folder / "register", self._setup.fenced), Witness(self._cluster, self._root)
        pulse = StallDetector()
        each = profile.clients // profile.client_processes
        with (
            self._started("server", "s", profile.servers, 0) as servers,
            self._started("clients", "c", profile.client_processes, each) as clients,
        ):
            self._await_first_effect(register, [*servers, *clients])
            villain = Nemesis(
                LeadingMember(self._cluster, self._setup.topology),
                lambda: self._leading(servers),
                lambda: _busiest(register, clients),
                clients,
                servers,
            )
            villain.run(nemesis.plan(self._seed, profile) if faults is None else faults)
            self._cluster.await_all()
            _await_awake(register, villain.done)
            wait_until(lambda: self._cluster.get(f"{self._root}control/brake") is None, UNDER_WAY_SECONDS, "the brake to be lifted")
            drain = self._drain(clients, servers)
            commits = list(records.commits(witness.finish(), self._root))
        register.close()
        struck = [fault for fault in villain.done if fault.target != nemesis.NOBODY]
        happened = [*struck, *pulse.finish()]
        histories = Histories(commits, register.effects, outcome.lines(self._folder), happened, drain is not None)
        histories.keep(self._folder)
        more = {"drainSeconds": drain, "etcdElections": self._cluster.terms() - terms}
        report = outcome.judge(self._seed, BUDGET, BOUNDS, histories, more)
        (self._folder / "report.json").write_text(report.line() + "\n")
        return report

    @contextlib.contextmanager
    def _started(self, role: str, letter: str, count: int, clients: int) -> Iterator[list[Program]]:
        """So many processes with so many clients each."""
        profile = self._setup.profile
        started: list[Program] = []
        try:
            for number in range(1, count + 1):
                name = f"{letter}{number}"
                settings: dict[str, object] = {
                    "endpoints": self._cluster.endpoints,
                    "root": self._root,
                    "hosts": HOSTS,
                    "quiet": QUIET,
                    "budget": BUDGET.most,
                    "leaseSeconds": profile.lock_lease,
                    "grantorLeaseSeconds": profile.grantor_lease,
                    "servers": ",".join(f"http://127.0.0.1:{PORT + other}" for other in range(profile.servers)),
                    "port": PORT + number - 1,
                    "processes": profile.client_processes,
                    "number": number - 1,
                    "clients": clients,
                    "polling": 0 if profile.stubborn else POLLING,
                    "rebootSeconds": REBOOT_SECONDS,
                    "passedSeconds": int(BOUNDS.longest),
                    "marginSeconds": int(BOUNDS.margin),
                    "stubborn": int(profile.stubborn),
                    "seed": self._seed * 100 + number,
                    "history": self._folder / f"{name}.jsonl",
                    "register": self._folder / "register",
                }
                started.append(Program(self._setup.programs, self._setup.topology.hub, role, name, self._folder, settings))
            yield started
        finally:
            for program in started:
                program.kill()

    def _await_first_effect(self, register: Register, programs: Sequence[Program]) -> None:
        def under_way() -> bool:
            return any(program.ended() for program in programs) or bool(register.effects)

        wait_until(under_way, UNDER_WAY_SECONDS, "the first effect of a client")

    def _leading(self, servers: Sequence[Program]) -> Program | None:
        """The process whose number the leadership key names."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            vote = self._cluster.get(f"{self._root}grantor/leader")
            for program in servers:
                if vote and decoded(vote).startswith(f"{program.pid}-"):
                    return program
            time.sleep(0.1)
        return None

    def _drain(self, clients: Sequence[Program], servers: Sequence[Program]) -> float | None:
        """Seconds until every client had done what it had begun; None when that was too long. Servers go on."""
        began = time.monotonic()
        for program in clients:
            program.say("drain")
        while time.monotonic() < began + DRAIN_SECONDS:
            for server in servers:
                server.ended()  # Raises if it failed.
            if all(program.ended() for program in clients):
                return round(time.monotonic() - began, 1)
            time.sleep(0.1)
        return None


def _await_awake(register: Register, done: Sequence[nemesis.Done]) -> None:
    """Whoever was paused last while it acted acts again before it is told to end, if it does so at all: afterwards it would not."""
    paused = [fault for fault in done if fault.kind == nemesis.CLIENTS_PAUSED]
    deadline = time.monotonic() + AWAKE_SECONDS
    while paused and time.monotonic() < deadline:
        process, begin = f"{paused[-1].target}-", paused[-1].begin
        before = {client for client in register.clients(begin - RECENTLY_NS, begin) if client.startswith(process)}
        if before <= register.clients(paused[-1].end):
            return
        time.sleep(0.05)


def _busiest(register: Register, clients: Sequence[Program]) -> Program:
    """The process whose clients act on most hosts, once one has several: a pause must meet holders."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        hosts = register.hosts_by_process(time.monotonic_ns() - RECENTLY_NS)
        busiest = max(clients, key=lambda program: len(hosts.get(program.name, ())))
        if len(hosts.get(busiest.name, ())) >= HOSTS_OF_BUSY or time.monotonic() > deadline:
            return busiest
        time.sleep(0.05)
