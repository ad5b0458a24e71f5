"""Teams hear of their own hosts, soon and signed, by receivers of their own; of others they hear nothing."""

import datetime as dt
import secrets
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from endless_requests import crowd, drains_end
from fleet import Fleet, eventually
from receivers import Receiver, delivering, is_signed, receiver

from drydock_stack.client import Client

pytestmark = pytest.mark.e2e

NOT_OF_SEARCH, OF_BOTH = "h10", "h01"  # The team of web owns applications on every host, that of search on the first ones.
SECONDS_MAX = 5.0  # From the event to its receipt: promised to teams.
OF_A_QUARANTINE = ["Failed", "Quarantined"]


@pytest.fixture
def subscriptions(fleet: Fleet) -> Iterator[str]:
    """One of each team, of the same name, for failures only."""
    name = f"alarm-{time.time_ns()}"
    for principal in ("web-team", "search-team"):
        Client(fleet.instance, principal).must("subscription", "create", name, "--event", ",".join(OF_A_QUARANTINE))
    yield name
    for principal in ("web-team", "search-team"):
        Client(fleet.instance, principal).must("subscription", "delete", name)


@pytest.fixture
def quarantined(fleet: Fleet, folder: Path) -> Iterator[Callable[[str], str]]:
    """Has a rollout of one host end Quarantined, since its users do not leave; people release it afterwards."""
    drains_end(fleet, folder, "onTimeout: Quarantine")

    def quarantine(host: str) -> str:
        with crowd(fleet, host):
            rollout = fleet.start([host], f"webhook-{host}")
            fleet.ended(rollout, seconds=120)
        assert fleet.upgrades(rollout)[host]["state"] == "Quarantined", fleet.upgrades(rollout)
        return rollout

    yield quarantine
    fleet.let_go([NOT_OF_SEARCH, OF_BOTH])


def hears(team: Receiver, rollout: str, host: str) -> None:
    wanted = [f"{event} {host}" for event in OF_A_QUARANTINE]
    eventually(f"the team hears of {host}", lambda: team.told(rollout) == wanted, 60)


def delay(one: dict[str, Any]) -> float:
    """Seconds from when the event was written, which is before its commit, to its receipt."""
    return float(one["received"]) - dt.datetime.fromisoformat(one["at"]).timestamp()


def test_a_team_hears_of_its_hosts_and_of_no_other_also_what_came_while_it_was_away(
    fleet: Fleet,
    subscriptions: str,
    quarantined: Callable[[str], str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(secrets.token_hex(16))
    with receiver() as web, receiver() as search, delivering(fleet, "search-team", subscriptions, search, secret):
        with delivering(fleet, "web-team", subscriptions, web, secret):
            first = quarantined(NOT_OF_SEARCH)
            hears(web, first, NOT_OF_SEARCH)
        in_time = list(web.taken)
        assert [one["kind"] for one in in_time].count("HostQuarantined") == 1, in_time

        second = quarantined(OF_BOTH)  # While nobody delivers to the team of web.
        hears(search, second, OF_BOTH)
        assert search.told(first) == [], "a team was told of a host that carries nothing of it"
        assert web.told(second) == []
        with delivering(fleet, "web-team", subscriptions, web, secret):
            hears(web, second, OF_BOTH)
        away = {one["id"] for one in web.taken} - {one["id"] for one in in_time}
        assert {one["rollout"] for one in web.taken if one["id"] in away} == {second}, "it heard of more than it had missed"

    for one in (*web.taken, *search.taken):
        assert is_signed(one, secret.read_text()), one
        assert not is_signed(one, "another secret")
        assert one["link"] == f"{fleet.server.url}/rollouts/{one['rollout']}?host={one['host']}"
        assert "was not drained within 6 s" in one["reason"] or one["event"] == "Failed", one
    assert {tuple(one["applications"]) for one in search.taken} == {("search",)}
    browser = urllib.request.Request(web.taken[0]["link"], headers={"Accept": "text/html"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(browser, timeout=10) as page:
        assert page.status == 200 and "text/html" in page.headers["Content-Type"]

    slowest = max(delay(one) for one in (*in_time, *search.taken))
    record_property("webhook_delay_seconds_max", round(slowest, 3))
    with capsys.disabled():
        sys.stdout.write(f"webhook: of {len(in_time) + len(search.taken)} the slowest came {slowest:.3f} s after its event was written\n")
    assert slowest <= SECONDS_MAX
