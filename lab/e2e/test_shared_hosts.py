"""A FleetLock loop with curl, an Ansible play under `drydock lock run` and a rollout on the same hosts at the same time."""

import pytest
from fleet import Fleet
from host_access import by_host, meetings
from sharing_hosts import Shared, Sharing

pytestmark = [pytest.mark.e2e, pytest.mark.full]

HOSTS = ["h02", "h03", "h07"]  # Both families; as many as the policies let one play take at once.
KEEPERS = {"fleetlock": "updater", "play": "foreign", "rollout": "sre"}
ROGUE = "rogue"


@pytest.fixture(scope="module")
def shared(installation: Fleet) -> Shared:
    installation.ready()
    return Sharing(installation, HOSTS).run()


def test_never_two_are_on_one_host_by_what_hosts_wrote_down(shared: Shared) -> None:
    assert meetings(visit for visit in shared.visits if visit.who != ROGUE) == []


def test_nobody_starves(shared: Shared) -> None:
    """Though the updaters ask for each host again as soon as they have left it."""
    assert shared.play.returncode == 0, shared.play.stdout + shared.play.stderr
    visitors = {host: {visit.who for visit in visits if visit.who != ROGUE} for host, visits in by_host(shared.visits).items()}
    assert visitors == {host: set(KEEPERS) for host in HOSTS}
    assert (shared.rollout["state"], shared.rollout["upgraded"]) == ("Succeeded", len(HOSTS))


def test_every_restart_of_a_host_is_that_of_a_visit(shared: Shared) -> None:
    """The lab counts boots by itself: one in each visit of an updater, one in the visit that upgraded the host."""
    updates = {host: sum(visit.who == "fleetlock" for visit in visits) for host, visits in by_host(shared.visits).items()}
    assert shared.boots == {host: count + 1 for host, count in updates.items()}


def test_the_lock_history_has_the_same_visitors_in_the_same_order(shared: Shared) -> None:
    for host, visits in by_host(shared.visits).items():
        visitors = [KEEPERS[visit.who] for visit in visits if visit.who != ROGUE]
        entries = [entry for entry in shared.history[host] if entry["change"] in ("Granted", "Ended")]
        assert [entry["change"] for entry in entries] == ["Granted", "Ended"] * (len(entries) // 2), host
        assert [entry["lock"] for entry in entries[::2]] == [entry["lock"] for entry in entries[1::2]], host
        holders = [entry["holder"] for entry in entries[::2]]
        following = iter(holders)  # A batch that was turned back before it came to the host was granted and never there.
        assert all(visitor in following for visitor in visitors), f"{host}: {visitors} were there, {holders} had the lock"


def test_they_really_wanted_the_hosts_at_the_same_time(shared: Shared) -> None:
    """On every host somebody took a place in the queue while another had the host."""
    for host, entries in shared.history.items():
        holders: list[str] = []
        behind = set()
        for entry in entries:
            if entry["change"] == "Queued" and holders:
                behind.add((entry["holder"], holders[-1]))
            if entry["change"] in ("Granted", "Ended"):
                holders = [entry["holder"]] if entry["change"] == "Granted" else []
        assert behind, f"nobody had to wait for {host}"


def test_control_who_ignores_the_lock_is_seen_to_meet_each_of_the_others(shared: Shared) -> None:
    met = {visit.who for pair in meetings(shared.visits) if ROGUE in {visit.who for visit in pair} for visit in pair}
    assert met == {ROGUE, *KEEPERS}
