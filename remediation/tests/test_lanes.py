"""Every job is sought in one lane, and none where there is no room."""

from __future__ import annotations

import itertools

from drydock_remediation.lanes import CLEANED, CYCLED, IMAGES, PACKAGES, Lane, lane_of, sought
from drydock_remediation.records import REIMAGE, Repair, Step

from .fakes import job

TOPICS = (PACKAGES, CLEANED, IMAGES, CYCLED)
JOBS = (
    *(job(step=step, mode=mode.removeprefix("host/")) for step, mode in itertools.product(Step, (PACKAGES, IMAGES))),
    *(job(step=Step.REPAIR, mode=repair) for repair in (Repair.CLEAN_DISK, Repair.POWER_CYCLE)),
)


def test_with_room_for_everything_it_is_one_look() -> None:
    (one,) = sought(TOPICS, set(Lane))
    assert (one.topics, one.steps) == (TOPICS, ())


def test_what_there_is_room_for_is_sought_and_nothing_else() -> None:
    for free in (set(some) for number in range(len(Lane)) for some in itertools.combinations(Lane, number)):
        looks = sought(TOPICS, free)
        for one in JOBS:
            found = [look for look in looks if f"host/{one.mode}" in look.topics and (not look.steps or one.step in look.steps)]
            assert len(found) == (lane_of(one) in free), (one.mode, one.step, free)


def test_topics_that_an_operator_does_not_do_are_not_sought() -> None:
    for number in range(len(Lane)):
        for free in itertools.combinations(Lane, number):
            assert {topic for one in sought((PACKAGES, CLEANED), set(free)) for topic in one.topics} <= {PACKAGES, CLEANED}


def test_what_takes_hours_and_what_reads_are_apart() -> None:
    assert lane_of(job(step=Step.UPDATE, mode=REIMAGE)) is Lane.MACHINES
    assert lane_of(job(step=Step.UPDATE)) is Lane.UPDATES
    assert {lane_of(job(step=step, mode=mode)) for step in (Step.HEALTH, Step.VERIFY) for mode in (REIMAGE, "PackageUpdate")} == {
        Lane.JUDGEMENTS
    }
    assert {lane_of(job(step=Step.REPAIR, mode=mode)) for mode in (REIMAGE, "PackageUpdate")} == {Lane.REPAIRS}
