"""The faults of a run: planned from a seed, then done."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

LEADER_PAUSED = "leader paused"
LEADER_FAULTS = ("leader killed", LEADER_PAUSED, "leader cut off", "leader cut from peers")
GRANTOR_PAUSED = "grantor paused"
STOOD_STILL = "machine stood still"  # Nobody's doing, but it happens.
CLIENTS_PAUSED = "clients paused"
CLOCK = "clock set"
GRANTOR_CLOCK = "grantor's clock set"
FROZEN = "fleet frozen"
CLOCK_JUMPS = (-3600, -90, 90, 3600)
NOBODY = "nobody"  # A fault without a target excuses nothing.


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong ``after`` so many seconds since the one before it in its track ended, for so long."""

    kind: str
    after: float
    seconds: float
    number: int = 0


@dataclass(frozen=True)
class Profile:
    """How many processes there are, and how long things last, in seconds."""

    name: str
    servers: int
    client_processes: int
    clients: int
    grantor_lease: int
    lock_lease: int
    killed: float
    paused: float
    cut: float
    frozen: float
    settle: float  # between one fault and the next, so that grants go on in between
    at_once: bool  # whether faults of grantors may meet those of etcd
    stubborn: bool = False  # clients hold long and watch no deadline: for faults that must meet a holder


SHORT = Profile(
    "short",
    servers=2,
    client_processes=2,
    clients=64,
    grantor_lease=5,
    lock_lease=6,
    killed=2,
    paused=5,
    cut=5,
    frozen=2,
    settle=1.5,
    at_once=False,
)
LONG = Profile(
    "long",
    servers=3,
    client_processes=4,
    clients=64,
    grantor_lease=8,
    lock_lease=10,
    killed=6,
    paused=30,
    cut=15,
    frozen=5,
    settle=4,
    at_once=True,
)


def plan(seed: int, profile: Profile) -> list[list[Fault]]:
    """Tracks of faults that come one after the other, beside those of the other tracks.

    Every kind at least once, in an order of the seed's own; of the two cuts a short run has that of its seed's parity.
    """
    dice = random.Random(seed)  # noqa: S311
    kinds = [*LEADER_FAULTS[:2], LEADER_FAULTS[2 + seed % 2]] if profile.name == SHORT.name else LEADER_FAULTS
    leader = [(kind, _seconds(kind, profile)) for kind in kinds]
    grantor = [(GRANTOR_PAUSED, profile.grantor_lease + 2.0)] * (2 if profile.at_once else 1)
    clients = [(CLIENTS_PAUSED, profile.lock_lease + 4.0)] * (4 if profile.at_once else 2)
    clocks = [(CLOCK, 0.0)] * (6 if profile.at_once else 3)
    grantor += [(GRANTOR_CLOCK, 0.0)] * (4 if profile.at_once else 2)
    brake = [(FROZEN, profile.frozen)] * (3 if profile.at_once else 1)
    tracks = [leader, grantor, clients + clocks, brake] if profile.at_once else [leader + grantor, clients + clocks + brake]
    return [_one_after_the_other(track, dice, profile.settle) for track in tracks]


def _seconds(kind: str, profile: Profile) -> float:
    return {"leader killed": profile.killed, LEADER_PAUSED: profile.paused}.get(kind, profile.cut)


def _one_after_the_other(track: Sequence[tuple[str, float]], dice: random.Random, settle: float) -> list[Fault]:
    shuffled = list(track)
    dice.shuffle(shuffled)
    return [Fault(kind, settle * dice.uniform(0.7, 1.3), seconds, dice.randrange(1_000_000)) for kind, seconds in shuffled]


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
    """Carries out a plan, each track by a thread of its own: one that has to wait for its target does not hold up the others."""

    def __init__(
        self,
        etcd: Etcd,
        leading_grantor: Callable[[], Process | None],
        busiest: Callable[[], Process],
        clients: Sequence[Process],
        servers: Sequence[Process],
    ) -> None:
        self._etcd, self._leading_grantor, self._busiest = etcd, leading_grantor, busiest
        self._clients, self._servers = clients, servers
        self._froze = 0
        self.done: list[Done] = []
        self._over = threading.Event()

    def run(self, tracks: Sequence[Sequence[Fault]]) -> None:
        """Returns when every fault has ended; raises what went wrong with the nemesis itself, and whatever ends it before."""
        with ThreadPoolExecutor(len(tracks)) as threads:
            try:
                for track in [threads.submit(self._carry_out, track) for track in tracks]:
                    track.result()
            finally:
                self._over.set()  # Whoever still waits undoes what it did, and does no more.

    def _carry_out(self, track: Sequence[Fault]) -> None:
        for fault in track:
            if self._over.wait(fault.after):
                return
            target, undo = self._strike(fault)
            struck = time.monotonic_ns()
            self._over.wait(fault.seconds)
            undo()
            self.done.append(Done(fault.kind, target, struck, time.monotonic_ns()))

    def _strike(self, fault: Fault) -> tuple[str, Callable[[], None]]:
        if fault.kind in LEADER_FAULTS:
            return self._etcd.strike(fault.kind)
        client = self._clients[fault.number % len(self._clients)]
        if fault.kind == FROZEN:
            self._froze += 1
            client.say(f"freeze {self._froze}-{fault.number}")
            return client.name, lambda: client.say("unfreeze")
        if fault.kind == CLOCK:
            return self._set_clock(self._servers[fault.number % len(self._servers)], fault)
        chosen = self._leading_grantor() if fault.kind in (GRANTOR_PAUSED, GRANTOR_CLOCK) else self._busiest()
        if chosen is None:
            return NOBODY, lambda: None
        if fault.kind == GRANTOR_CLOCK:
            return self._set_clock(chosen, fault)
        chosen.signal(signal.SIGSTOP)
        return chosen.name, lambda: chosen.signal(signal.SIGCONT)

    @staticmethod
    def _set_clock(process: Process, fault: Fault) -> tuple[str, Callable[[], None]]:
        """It stays so until it is set again."""
        process.say(f"clock {CLOCK_JUMPS[fault.number % len(CLOCK_JUMPS)]}")
        return process.name, lambda: None
