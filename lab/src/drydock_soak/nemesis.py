"""The faults of a run: planned from a seed, then done."""

from __future__ import annotations

import heapq
import random
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

LEADER_FAULTS = ("leader killed", "leader paused", "leader cut off", "leader cut from peers")
GRANTOR_PAUSED = "grantor paused"
CLIENTS_PAUSED = "clients paused"
CLOCK = "clock set"
CLOCK_JUMPS = (-3600, -90, 90, 3600)


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong ``at`` so many seconds after the beginning, for so long."""

    kind: str
    at: float
    seconds: float
    number: int = 0


@dataclass(frozen=True)
class Profile:
    """How many processes there are, and how long things last, in seconds."""

    name: str
    grantors: int
    client_processes: int
    clients: int
    grantor_lease: int
    lock_lease: int
    killed: float
    paused: float
    cut: float
    settle: float  # between one fault and the next, so that grants go on in between
    at_once: bool  # whether faults of grantors may meet those of etcd
    stubborn: bool = False  # clients hold long and watch no deadline: for faults that must meet a holder


SHORT = Profile(
    "short", grantors=2, client_processes=2, clients=64, grantor_lease=5, lock_lease=6, killed=2, paused=5, cut=5, settle=1.5, at_once=False
)
LONG = Profile(
    "long", grantors=3, client_processes=4, clients=64, grantor_lease=8, lock_lease=10, killed=6, paused=30, cut=15, settle=4, at_once=True
)


def plan(seed: int, profile: Profile) -> list[Fault]:
    """Every kind of fault at least once, in an order of the seed's own; of the two cuts a short run has that of its seed's parity."""
    dice = random.Random(seed)  # noqa: S311
    kinds = [*LEADER_FAULTS[:2], LEADER_FAULTS[2 + seed % 2]] if profile.name == SHORT.name else LEADER_FAULTS
    leader = [(kind, _seconds(kind, profile)) for kind in kinds]
    grantor = [(GRANTOR_PAUSED, profile.grantor_lease + 2.0)] * (2 if profile.at_once else 1)
    clients = [(CLIENTS_PAUSED, profile.lock_lease + 4.0)] * (4 if profile.at_once else 2)
    clocks = [(CLOCK, 0.0)] * (6 if profile.at_once else 3)
    tracks = [leader, grantor, clients + clocks] if profile.at_once else [leader + grantor, clients + clocks]
    faults = [fault for track in tracks for fault in _one_after_the_other(track, dice, profile.settle)]
    return sorted(faults, key=lambda fault: fault.at)


def _seconds(kind: str, profile: Profile) -> float:
    return {"leader killed": profile.killed, "leader paused": profile.paused}.get(kind, profile.cut)


def _one_after_the_other(track: Sequence[tuple[str, float]], dice: random.Random, settle: float) -> list[Fault]:
    shuffled = list(track)
    dice.shuffle(shuffled)
    at, faults = 0.0, []
    for kind, seconds in shuffled:
        at += settle * dice.uniform(0.7, 1.3)
        faults.append(Fault(kind, at, seconds, dice.randrange(1_000_000)))
        at += seconds
    return faults


@dataclass(frozen=True)
class Done:
    """A fault as it happened, in nanoseconds of the machine's monotonic clock."""

    kind: str
    target: str
    begin: int
    end: int


class Etcd(Protocol):
    """What the nemesis does to the leading member; each answers how it is undone."""

    def strike(self, kind: str) -> tuple[str, Callable[[], None]]: ...


class Process(Protocol):
    @property
    def name(self) -> str: ...
    def signal(self, number: signal.Signals) -> None: ...
    def say(self, line: str) -> None: ...


class Nemesis:
    """Carries out a plan. Confined to one thread."""

    def __init__(
        self, etcd: Etcd, leading_grantor: Callable[[], Process | None], busiest: Callable[[], Process], clients: Sequence[Process]
    ) -> None:
        self._etcd, self._leading_grantor, self._busiest, self._clients = etcd, leading_grantor, busiest, clients
        self.done: list[Done] = []
        self.jumped: set[str] = set()

    def run(self, faults: Sequence[Fault]) -> None:
        """Returns when every fault has ended."""
        began = time.monotonic()
        agenda: list[tuple[float, int, Callable[[], None]]] = []

        def at(when: float, action: Callable[[], None]) -> None:
            heapq.heappush(agenda, (when, len(self.done) * 1000 + len(agenda), action))

        def begin(fault: Fault) -> Callable[[], None]:
            def action() -> None:
                struck = time.monotonic_ns()
                target, undo = self._strike(fault)

                def end() -> None:
                    undo()
                    self.done.append(Done(fault.kind, target, struck, time.monotonic_ns()))

                at(time.monotonic() - began + fault.seconds, end)

            return action

        for fault in faults:
            at(fault.at, begin(fault))
        while agenda:
            when, _, action = heapq.heappop(agenda)
            time.sleep(max(0.0, began + when - time.monotonic()))
            action()

    def _strike(self, fault: Fault) -> tuple[str, Callable[[], None]]:
        if fault.kind in LEADER_FAULTS:
            return self._etcd.strike(fault.kind)
        if fault.kind == CLOCK:
            process = self._clients[fault.number % len(self._clients)]
            process.say(f"clock {CLOCK_JUMPS[fault.number % len(CLOCK_JUMPS)]}")
            self.jumped.add(process.name)
            return process.name, lambda: None
        chosen = self._leading_grantor() if fault.kind == GRANTOR_PAUSED else self._busiest()
        if chosen is None:
            return "nobody", lambda: None
        chosen.signal(signal.SIGSTOP)
        return chosen.name, lambda: chosen.signal(signal.SIGCONT)
