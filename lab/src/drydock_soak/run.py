"""One run: a cluster, grantors, clients, faults of a seed, and what the checker says of it all."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drydock_lab.waiting import wait_until
from drydock_soak import nemesis
from drydock_soak.checker import claims, gaps, queue, records
from drydock_soak.checker.violation import Violation
from drydock_soak.cluster import Cluster, Member
from drydock_soak.gateway import decoded
from drydock_soak.nemesis import Nemesis, Profile
from drydock_soak.programs import Program, Programs
from drydock_soak.register import Register
from drydock_soak.topology import Topology
from drydock_soak.witness import Witness

CLIENTS, HOSTS, BUDGET = 64, 20, 14
UNDER_WAY_SECONDS = 90.0
DRAIN_SECONDS = 90.0


@dataclass(frozen=True)
class Setup:
    """Where and how runs are made; ``fenced`` off is for a control."""

    programs: Programs
    topology: Topology
    folder: Path
    profile: Profile
    fenced: bool = True


@dataclass(frozen=True)
class Report:
    """What came of a run."""

    seed: int
    violations: tuple[Violation, ...]
    figures: dict[str, Any]

    def line(self) -> str:
        """One JSON object."""
        broken = [str(violation) for violation in self.violations]
        return json.dumps({"seed": self.seed, **self.figures, "violations": len(broken), "first": broken[:10]})


def run(setup: Setup, cluster: Cluster, seed: int, faults: Sequence[nemesis.Fault] | None = None) -> Report:
    """Makes one run on a healthy cluster and leaves it healthy."""
    return _Run(setup, cluster, seed).run(nemesis.plan(seed, setup.profile) if faults is None else faults)


class _Run:
    def __init__(self, setup: Setup, cluster: Cluster, seed: int) -> None:
        self._setup, self._cluster, self._seed = setup, cluster, seed
        self._root = f"/soak-{seed}-{time.monotonic_ns()}/"
        self._folder = setup.folder / f"seed-{seed}"
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)

    def run(self, faults: Sequence[nemesis.Fault]) -> Report:
        register = Register(self._folder / "register", self._setup.fenced)
        terms = self._cluster.terms()
        witness = Witness(self._cluster, self._root)
        with self._started("grantor", self._grantor_names(), {}) as grantors, self._clients() as clients:
            self._await(lambda: len(self._lines("held")) > 0, clients, UNDER_WAY_SECONDS, "the first grant")
            villain = Nemesis(_Members(self._cluster, self._setup.topology), lambda: self._leading(grantors), clients)
            villain.run(faults)
            self._cluster.await_all()
            calm = time.monotonic()
            for program in clients:
                program.say("drain")
            drained = self._drained(clients)
            drain_seconds = time.monotonic() - calm
            changes = list(records.commits(witness.finish(), self._root))
        register.close()
        (self._folder / "faults.json").write_text(json.dumps([dataclasses.asdict(fault) for fault in villain.done], indent=1))
        (self._folder / "etcd.jsonl").write_text("\n".join(json.dumps(dataclasses.asdict(commit)) for commit in changes))
        (self._folder / "effects.jsonl").write_text("\n".join(json.dumps(dataclasses.asdict(effect)) for effect in register.effects))
        replay = queue.Replay(BUDGET, frozenset(villain.jumped)).all(changes)
        told = self._lines()
        found = claims.claims(told)
        violations = [
            *replay.violations,
            *claims.check_claims(found),
            *claims.check_effects(register.effects, replay.tokens),
            *([] if drained else self._stuck(replay)),
        ]
        waits = _waits(told)
        figures = {
            "grants": len(replay.grants),
            "ofSeveralHosts": sum(len(grant.hosts) > 1 for grant in replay.grants),
            "clientsServed": len(found),
            "effects": sum(effect.accepted for effect in register.effects),
            "staleRefused": sum(not effect.accepted for effect in register.effects),
            "lapsed": replay.lapses,
            "unknown": sum(line.what == "unknown" for line in told),
            "grantorsElected": replay.leaders,
            "etcdElections": self._cluster.terms() - terms,
            "turnedAwayByClock": replay.lost_to_clocks,
            "longestWait": max(waits, default=0.0),
            "drainSeconds": round(drain_seconds, 1),
            "gapSeconds": gaps.longest_gaps((grant.at for grant in replay.grants), villain.done),
        }
        return Report(self._seed, tuple(violations), figures)

    def _grantor_names(self) -> list[str]:
        return [f"g{number}" for number in range(1, self._setup.profile.grantors + 1)]

    @contextlib.contextmanager
    def _clients(self) -> Iterator[list[Program]]:
        count = self._setup.profile.client_processes
        names = [f"c{number}" for number in range(1, count + 1)]
        settings = {"clients": CLIENTS // count, "register": self._folder / "register"}
        with self._started("clients", names, settings) as programs:
            yield programs

    @contextlib.contextmanager
    def _started(self, role: str, names: Sequence[str], more: dict[str, object]) -> Iterator[list[Program]]:
        started: list[Program] = []
        try:
            for index, name in enumerate(names):
                settings: dict[str, object] = {
                    "endpoints": self._cluster.endpoints,
                    "root": self._root,
                    "hosts": HOSTS,
                    "budget": BUDGET,
                    "leaseSeconds": self._setup.profile.lock_lease,
                    "grantorLeaseSeconds": self._setup.profile.grantor_lease,
                    "seed": self._seed * 100 + index,
                    "history": self._folder / f"{name}.jsonl",
                    **more,
                }
                started.append(Program(self._setup.programs, self._setup.topology.hub, role, name, self._folder, settings))
            yield started
        finally:
            for program in started:
                program.kill()

    def _leading(self, grantors: Sequence[Program]) -> Program | None:
        """The process whose number the leadership key names."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            vote = self._cluster.get(f"{self._root}grantor/leader")
            for program in grantors:
                if vote and decoded(vote).startswith(f"{program.pid}-"):
                    return program
            time.sleep(0.1)
        return None

    def _drained(self, clients: Sequence[Program]) -> bool:
        deadline = time.monotonic() + DRAIN_SECONDS
        while True:
            ended = [program.ended() for program in clients]
            if all(ended):
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)

    def _await(self, condition: Callable[[], bool], programs: Sequence[Program], seconds: float, what: str) -> None:
        wait_until(lambda: any(program.ended() for program in programs) or condition(), seconds, what)

    def _lines(self, what: str | None = None) -> list[records.Told]:
        lines: list[records.Told] = []
        for path in sorted(self._folder.glob("c*.jsonl")):
            with path.open() as file:
                lines += (line for line in records.told(file) if what is None or line.what == what)
        return lines

    def _stuck(self, replay: queue.Replay) -> list[Violation]:
        """Names whatever still waits, long after the last fault ended."""
        waiting = sorted(replay.state.tickets.values(), key=lambda ticket: ticket.seniority)
        if not waiting:
            return [Violation("stuck", f"clients did not come to an end within {DRAIN_SECONDS:.0f} s, and nothing is in the queue")]
        return [
            Violation("stuck", f"{ticket.id} still waits for {', '.join(sorted(ticket.hosts))} {DRAIN_SECONDS:.0f} s after the last fault")
            for ticket in waiting
        ]


class _Members:
    """The leading member as the nemesis sees it."""

    def __init__(self, cluster: Cluster, topology: Topology) -> None:
        self._cluster, self._topology = cluster, topology

    def strike(self, kind: str) -> tuple[str, Callable[[], None]]:
        member = self._cluster.leader()
        number = member.number

        def restart() -> None:
            member.start()

        def heal() -> None:
            self._topology.heal(number)

        def resume() -> None:
            member.signal(signal.SIGCONT)

        undo = self._do(kind, member, restart, resume, heal)
        return f"m{number}", undo

    def _do(self, kind: str, member: Member, *undo: Callable[[], None]) -> Callable[[], None]:
        restart, resume, heal = undo
        if kind == "leader killed":
            member.kill()
            return restart
        if kind == "leader paused":
            member.signal(signal.SIGSTOP)
            return resume
        (self._topology.cut if kind == "leader cut off" else self._topology.cut_from_peers)(member.number)
        return heal


def _waits(told: Sequence[records.Told]) -> list[float]:
    """Seconds from taking a ticket to having its hosts."""
    took = {line.id: line.at for line in told if line.what == "take"}
    return [round((line.at - took[line.id]) / 1e9, 1) for line in told if line.what == "held" and line.id in took]
