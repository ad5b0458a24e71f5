"""Who was on a host and when, as the host itself tells, and the judge of who met whom there."""

import collections
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

JOURNAL = "/data/visits"  # Lines `enter WHO SECONDS` and `leave WHO SECONDS`; outlives restarts of the host.
RUNS = "find /data/drydock/runs -name cmd -printf '%P %T@\\n' -o -name rc -printf '%P %T@\\n'"


@dataclass(frozen=True, order=True)
class HostAccess:
    """From entering to leaving, in seconds since 1970 by the host's clock; without an end if nobody was seen to leave."""

    host: str
    begin: float
    end: float
    who: str


def meetings(visits: Iterable[HostAccess]) -> list[tuple[HostAccess, HostAccess]]:
    """Every two visits of one host that overlap. None: never were two there at a time."""
    return [
        (first, second)
        for one_host in by_host(visits).values()
        for first, second in itertools.combinations(one_host, 2)
        if second.begin < first.end
    ]


def by_host(visits: Iterable[HostAccess]) -> dict[str, list[HostAccess]]:
    """The visits of each host by their beginning."""
    ordered = sorted(visits)
    return {host: list(found) for host, found in itertools.groupby(ordered, key=lambda visit: visit.host)}


def of_journal(host: str, lines: Iterable[str]) -> list[HostAccess]:
    """Visits as their visitors wrote them down."""
    visits, inside = [], dict[str, float]()
    for line in lines:
        what, who, at = line.split()
        if what == "leave" and who in inside:
            visits.append(HostAccess(host, inside.pop(who), float(at), who))
            continue
        # Who enters twice was not seen to leave, and who only leaves was there for ever.
        visits += [HostAccess(host, inside[who], math.inf, who)] if who in inside else []
        visits += [HostAccess(host, -math.inf, float(at), who)] if what == "leave" else []
        if what == "enter":
            inside[who] = float(at)
    return visits + [HostAccess(host, began, math.inf, who) for who, began in inside.items()]


def of_runs(host: str, lines: Iterable[str], since: float) -> list[HostAccess]:
    """One visit for each grant of a rollout: from the first to the last file that a run of the wrapper wrote for it."""
    times = collections.defaultdict[str, list[float]](list)
    for line in lines:
        run, at = line.split()
        if float(at) >= since:  # Runs of earlier rollouts are kept.
            times[run.partition(".")[0]].append(float(at))
    return [HostAccess(host, min(seen), max(seen), "rollout") for seen in times.values()]
