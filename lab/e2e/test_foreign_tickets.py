"""Other maintainers of the same hosts, who use nothing but tickets."""

import json
import time

import pytest
from fleet import Fleet, eventually

pytestmark = pytest.mark.e2e

OUTAGE_SECONDS = 60  # Longer than every lease there is.


def test_a_try_beyond_a_budget_is_refused_with_the_reason(fleet: Fleet) -> None:
    """A rollout takes the two hosts that the policy of ``ads`` can spare; a foreign try on one more is refused."""
    hosts = fleet.carrying("ads")
    rollout = fleet.start(hosts[:2], "try")
    eventually("the first grant", fleet.held, 60)

    def refusal() -> str | None:
        done = fleet.run("foreign", "lock", "try", hosts[-1], "--reason", "kernel live patch")
        if done.returncode == 0:  # The budget was not used up yet: give it back and try again.
            fleet.run("foreign", "lock", "release", done.stdout.split()[0])
            return None
        assert done.returncode == 3, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert "ads" in eventually("the try is refused", refusal, 30), "the reason names the application"
    assert not any(hosts[-1] in held for held in fleet.held())
    assert fleet.ended(rollout, seconds=240)["state"] == "Succeeded"
    # The control: with the budget free again the very same try is granted.
    ticket = fleet.ticket("foreign", hosts[-1], "Try")
    eventually("the try is granted", lambda: fleet.lock(ticket)["state"] == "Held", 10)
    assert fleet.run("foreign", "lock", "release", ticket).returncode == 0
    changes = ["TicketQueued", "LockGranted", "LockEnded"]
    eventually("the feed tells of each change", lambda: told_of(fleet, hosts[-1], ticket) == changes, 10)


def told_of(fleet: Fleet, host: str, lock: str) -> list[str]:
    """The kinds of what the event feed tells of one ticket or lock on the host, in order."""
    found: list[str] = []
    cursor = "0"
    while True:
        page = fleet.http(f"events?q=after&cursor={cursor}&host={host}&count=500")
        assert page, "the feed does not answer"
        found += [event["kind"] for event in page["elements"] if lock in json.dumps(event)]
        if not page["elements"]:
            return found
        cursor = page["metadata"]["cursor"]


@pytest.mark.full
def test_a_host_in_mid_upgrade_is_not_handed_over_while_the_server_is_down(fleet: Fleet) -> None:
    host = fleet.lab.hosts()[-1]
    rollout = fleet.start([host], "down")
    eventually("the host is being updated", lambda: fleet.upgrades(rollout).get(host, {}).get("step") == "Update", 90)
    ticket = fleet.ticket("foreign", host, "Wait")
    eventually("the ticket waits", lambda: fleet.lock(ticket)["state"] == "Waiting", 10)

    fleet.server_down()
    until = time.monotonic() + OUTAGE_SECONDS
    eventually("the outage is over", lambda: time.monotonic() > until, OUTAGE_SECONDS + 5)
    fleet.server_up()

    samples = []

    def over() -> bool:
        state = fleet.lock(ticket)["state"]
        if fleet.upgrades(rollout)[host]["state"] == "Upgraded":
            return True
        samples.append(state)  # Read before the upgrade was seen to go on, so it must have waited.
        return False

    eventually("the host is upgraded", over, 240)
    assert samples and set(samples) == {"Waiting"}, "the ticket did not get the host while it was in mid-upgrade"
    assert fleet.package_runs(host) == 1
    eventually("the ticket gets the host afterwards", lambda: fleet.lock(ticket)["state"] == "Held", 30)
    assert fleet.run("foreign", "lock", "release", ticket).returncode == 0
