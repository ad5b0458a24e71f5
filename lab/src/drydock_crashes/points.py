"""Where who dies: every phase of a batch and state of a rollout, every process it needs, at named moments. Pure but for their list."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PHASE = "Phase"
SERVER, CONSUMER = "server", "consumer"
STORES = ("postgres", "etcd", "temporal")
VICTIMS = (SERVER, CONSUMER, *STORES)
LATE, LOST, HOOKED = "late", "lost", "hooked"  # Hosts that are not drained, whose batch loses its run, with hooks around them.
# Hosts of which a first Drain, or a first Update, fails, and whose policies say what comes then.
ASKED, FORCED, BLOCKED, BROKEN, DOUBTFUL = "asked", "forced", "blocked", "broken", "doubtful"
FAILS_FIRST = {ASKED: "Drain", FORCED: "Drain", BLOCKED: "Update", BROKEN: "Update", DOUBTFUL: "Update"}
WRITING, WRITTEN = "writing", "written"  # Before and after the commit of how far the phase or the rollout came.
MOMENTS_OF_WORK = ("claimed", "begun", "done")  # Nothing done yet; sent to the host; verified, not reported.


@dataclass(frozen=True)
class State:
    """A state of ``machine`` as the soak brings it about: on which kind of host, with which end of the host.

    Of a phase ``step``: of a consumer, if it has work in it, and ``stage`` if that is a hook. Of a rollout ``command``: what
    leads to it. Of anything else ``event``: what tells that it began.
    """

    machine: str
    name: str
    host: str
    end: str
    step: str = ""
    stage: str = ""
    command: str = ""
    event: str = ""


@dataclass(frozen=True)
class Point:
    """``name`` is the crash point at which the victim dies, or at which the server stands while the victim is killed."""

    state: State
    victim: str
    moment: str

    @property
    def name(self) -> str:
        if self.state.command:
            return f"rollout-{self.state.command}-{self.moment}"
        if self.state.event:
            return f"event-{self.state.event.lower()}-{self.moment}"
        whose = "consumer" if self.moment in MOMENTS_OF_WORK else "phase"
        return f"{whose}-{self.state.name.lower()}-{self.moment}"

    @property
    def dies(self) -> bool:
        """Whether who reaches the point is the victim itself."""
        return self.victim == SERVER or self.moment in MOMENTS_OF_WORK

    def __str__(self) -> str:
        return f"{self.victim} at {self.name} of {self.state.host}"


def states() -> list[State]:
    """Phases in the order of a batch's way, then what else has states; ``docs/exits.md`` is made from the same list."""
    listed = json.loads((Path(__file__).parent / "states.json").read_text())
    del listed["test"]
    return [
        _state(machine, name, one)
        for machine, named in listed.items()
        for name, said in named.items()
        for one in (said if isinstance(said, list) else [said])
    ]


def _state(machine: str, name: str, said: dict[str, str]) -> State:
    """The ends of phases are those of hosts; of all else hosts are upgraded afterwards, but for an abort."""
    end = said["end"] if machine == PHASE else "Cancelled" if said["end"] == "Aborted" else "Upgraded"
    return State(machine, name, **{**said, "end": end})


def phase_of(host: str, step: str, stage: str) -> str:
    """The phase a job of a consumer belongs to, in lower case; empty if nobody dies in it."""
    kind = host.split("-", maxsplit=1)[0]
    own = {LATE, LOST}
    fits = (one for one in states() if (one.step, one.stage) == (step, stage) and (one.host == kind or not own & {one.host, kind}))
    return next((one.name.lower() for one in fits), "")


def every() -> list[Point]:
    """All there are. A consumer dies of its own work where the phase has some, else while the server stands in the phase."""
    return [Point(state, victim, moment) for state in states() for victim in VICTIMS for moment in _moments(state, victim)]


def _moments(state: State, victim: str) -> Sequence[str]:
    if victim == CONSUMER:
        return MOMENTS_OF_WORK if state.step else (WRITTEN,)
    return (WRITING, WRITTEN)


def sample(seed: int, count: int) -> list[Point]:
    """So many of them in an order of their own, with every victim among them; another seed, other points."""
    order = random.Random(seed)  # noqa: S311 - to repeat it
    shuffled = order.sample(every(), len(every()))
    first = [next(point for point in shuffled if point.victim == victim) for victim in VICTIMS]
    rest = [point for point in shuffled if point not in first]
    return order.sample([*first, *rest[: max(0, count - len(first))]], max(count, len(first)))
