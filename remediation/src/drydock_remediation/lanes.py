"""What an operator looks for on the board, by what it has room for. Pure."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from drydock_remediation.records import PACKAGE_UPDATE, REIMAGE, Job, Repair, Step


class Lane(enum.Enum):
    """Work that never waits for room that other work takes: an installation may take hours, a host that was upgraded meanwhile
    is judged within minutes or fails."""

    UPDATES = "plays that change packages"
    JUDGEMENTS = "plays that read hosts on their way"
    REPAIRS = "plays that read hosts that failed: for those that do not come back it takes long"
    PREFLIGHTS = "plays that ask hosts which still serve, and let them download"
    MACHINES = "work that waits for machines nearly all of the time"


@dataclass(frozen=True)
class SearchRequest:
    """Jobs of some topics; `steps`: none: all."""

    topics: tuple[str, ...]
    steps: tuple[Step, ...] = ()


PACKAGES, IMAGES, CLEANED, CYCLED = (f"host/{ability}" for ability in (PACKAGE_UPDATE, REIMAGE, Repair.CLEAN_DISK, Repair.POWER_CYCLE))
SOUGHT: tuple[tuple[Lane, SearchRequest], ...] = (
    (Lane.UPDATES, SearchRequest((PACKAGES,), (Step.UPDATE,))),
    (Lane.JUDGEMENTS, SearchRequest((PACKAGES, IMAGES), (Step.VERIFY, Step.HEALTH))),
    (Lane.REPAIRS, SearchRequest((PACKAGES, IMAGES), (Step.REPAIR,))),
    (Lane.PREFLIGHTS, SearchRequest((PACKAGES, IMAGES), (Step.PREFLIGHT,))),
    (Lane.MACHINES, SearchRequest((IMAGES,), (Step.UPDATE,))),
    (Lane.MACHINES, SearchRequest((CLEANED, CYCLED))),
)


def lane_of(job: Job) -> Lane:
    topic = f"host/{job.mode}"
    return next(lane for lane, sought in SOUGHT if topic in sought.topics and (not sought.steps or job.step in sought.steps))


def sought(topics: Sequence[str], free: Collection[Lane]) -> list[SearchRequest]:
    """All at once where there is room for all of it."""
    if set(free) == set(Lane):
        return [SearchRequest(tuple(topics))]
    able = ((lane, SearchRequest(tuple(topic for topic in one.topics if topic in topics), one.steps)) for lane, one in SOUGHT)
    return [one for lane, one in able if lane in free and one.topics]
