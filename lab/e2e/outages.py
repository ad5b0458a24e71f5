"""How long hosts were away, from the events of their rollout. Pure: events in, seconds out."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def seconds(events: Iterable[Mapping[str, Any]], first: str, last: str) -> dict[str, float]:
    """By host, from the claim of its job of the step `first` until its job of the step `last` is done.

    A claim that follows while the host is away is another attempt. A host that was away twice was away for the sum of it. One that
    is still away is left out.
    """
    since: dict[str, int] = {}
    taken: dict[str, float] = {}
    for event in sorted(events, key=lambda event: int(event["cursor"])):
        # Ids of jobs are GRANT.STEP.HOST.ROUND.
        host, job = event.get("host", ""), str(json.loads(event["data"]).get("job", ""))
        if event["kind"] == "JobClaimed" and f".{first}." in job:
            since.setdefault(host, event["at"])
        elif event["kind"] == "JobDone" and f".{last}." in job and host in since:
            taken[host] = taken.get(host, 0.0) + (event["at"] - since.pop(host)) / 1000
    return {host: taken[host] for host in taken if host not in since}


def summary(measured: Sequence[float]) -> dict[str, float]:
    """In seconds, of at least one."""
    median, least, most = (round(value, 1) for value in (statistics.median(measured), min(measured), max(measured)))
    return {"median": median, "min": least, "max": most}
