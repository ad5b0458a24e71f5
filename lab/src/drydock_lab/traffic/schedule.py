"""Which request is sent when. Pure and seeded: one seed is one sequence."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SLOW_SHARE = 0.02
SLOW_MILLIS = (3_000, 10_000)
QUICK_MILLIS = (1, 30)


@dataclass(frozen=True)
class Planned:
    """One request: seconds after the one before, application, and how long its answer shall take."""

    gap_seconds: float
    application: str
    millis: int

    @property
    def slow(self) -> bool:
        return self.millis >= SLOW_MILLIS[0]


def sequence(seed: int, applications: Sequence[str], per_second: float) -> Iterator[Planned]:
    """Endless. Gaps are exponential, as from many independent users; 2 % of the requests last 3 to 10 s."""
    chance = random.Random(seed)  # noqa: S311 (repeatable on purpose)
    while True:
        low, high = SLOW_MILLIS if chance.random() < SLOW_SHARE else QUICK_MILLIS
        yield Planned(chance.expovariate(per_second), chance.choice(applications), chance.randint(low, high))
