"""The faults of a run: planned from a seed, then done."""

from __future__ import annotations

import random
import signal
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
    tracks = [leader, grantor, clients + clocks] if profile.at_once else [leader + grantor, clients + clocks]
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
        self, etcd: Etcd, leading_grantor: Callable[[], Process | None], busiest: Callable[[], Process], clients: Sequence[Process]
    ) -> None:
        self._etcd, self._leading_grantor, self._busiest, self._clients = etcd, leading_grantor, busiest, clients
        self.done: list[Done] = []

    def run(self, tracks: Sequence[Sequence[Fault]]) -> None:
        """Returns when every fault has ended; raises what went wrong with the nemesis itself."""
        with ThreadPoolExecutor(len(tracks)) as threads:
            for track in [threads.submit(self._carry_out, track) for track in tracks]:
                track.result()

    def _carry_out(self, track: Sequence[Fault]) -> None:
        for fault in track:
            time.sleep(fault.after)
            target, undo = self._strike(fault)
            struck = time.monotonic_ns()
            time.sleep(fault.seconds)
            undo()
            self.done.append(Done(fault.kind, target, struck, time.monotonic_ns()))

    def _strike(self, fault: Fault) -> tuple[str, Callable[[], None]]:
        if fault.kind in LEADER_FAULTS:
            return self._etcd.strike(fault.kind)
        if fault.kind == CLOCK:
            process = self._clients[fault.number % len(self._clients)]
            process.say(f"clock {CLOCK_JUMPS[fault.number % len(CLOCK_JUMPS)]}")
            return process.name, lambda: None
        chosen = self._leading_grantor() if fault.kind == GRANTOR_PAUSED else self._busiest()
        if chosen is None:
            return NOBODY, lambda: None
        chosen.signal(signal.SIGSTOP)
        return chosen.name, lambda: chosen.signal(signal.SIGCONT)
