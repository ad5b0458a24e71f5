"""Times of hosts from hand-made events: what counts as away, and for how long."""

import json
from typing import Any

import pytest
from outages import seconds, summary


def event(cursor: int, kind: str, job: str, at: float) -> dict[str, Any]:
    data = json.dumps({"job": job, "attempt": 1})
    return {"cursor": str(cursor), "kind": kind, "host": job.split(".")[2], "at": int(at * 1000), "data": data}


def away(host: str, drained: float, back: float, cursor: int = 1, round_number: int = 1) -> list[dict[str, Any]]:
    return [
        event(cursor, "JobClaimed", f"g1.Drain.{host}.{round_number}", drained),
        event(cursor + 1, "JobDone", f"g1.Drain.{host}.{round_number}", drained + 1),
        event(cursor + 2, "JobClaimed", f"g1.Recover.{host}.{round_number}", back - 1),
        event(cursor + 3, "JobDone", f"g1.Recover.{host}.{round_number}", back),
    ]


def test_counts_from_the_claim_of_the_drain_to_the_end_of_the_recovery() -> None:
    events = [*away("h02", 12, 40.5, cursor=20), *away("h01", 10, 30)]
    assert seconds(events, "Drain", "Recover") == {"h01": 20, "h02": 28.5}


def test_counts_one_step_in_the_same_way() -> None:
    assert seconds(away("h01", 10, 30), "Recover", "Recover") == {"h01": 1}


def test_orders_events_by_their_cursors_as_numbers() -> None:
    assert seconds(reversed(away("h01", 10, 30, cursor=9)), "Drain", "Recover") == {"h01": 20}


def test_counts_another_attempt_at_the_drain_from_the_first() -> None:
    again = event(2, "JobClaimed", "g1.Drain.h01.1", 15)
    assert seconds([*away("h01", 10, 30, cursor=3)[1:], again, away("h01", 10, 30)[0]], "Drain", "Recover") == {"h01": 20}


def test_adds_up_what_a_host_was_away_twice() -> None:
    events = [*away("h01", 10, 30), *away("h01", 100, 105, cursor=5, round_number=2)]
    assert seconds(events, "Drain", "Recover") == {"h01": 25}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_leaves_out_a_host_that_is_still_away(count: int) -> None:
    events = [*away("h01", 10, 30), *away("h02", 10, 30, cursor=5)[:count]]
    assert seconds(events, "Drain", "Recover") == {"h01": 20}


def test_leaves_out_a_host_that_is_away_again() -> None:
    events = [*away("h01", 10, 30), *away("h01", 100, 105, cursor=5, round_number=2)[:2]]
    assert seconds(events, "Drain", "Recover") == {}


def test_does_not_take_the_download_before_for_a_step_on_the_host() -> None:
    events = [event(1, "JobClaimed", "pre.Preflight.h01.1", 1), event(2, "JobDone", "pre.Preflight.h01.1", 9)]
    assert seconds([*events, *away("h01", 10, 30, cursor=3)], "Drain", "Recover") == {"h01": 20}


def test_summary_has_median_least_and_most_to_a_tenth_of_a_second() -> None:
    assert summary([30.06, 10, 20.5, 21.1]) == {"median": 20.8, "min": 10, "max": 30.1}
    assert summary([7]) == {"median": 7, "min": 7, "max": 7}
