"""Forty hosts, a tenth of which fail in every way there is: none is lost, everybody counts the same, and what is bad is isolated."""

import collections
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from consumers import Consumers
from fleet import FINAL, Fleet, apply, eventually
from simulated import SimHost, Site, site

from drydock_stack.client import Client

pytestmark = pytest.mark.e2e

IN_LAB = 4
LEDGER = [f"sim{number:02}" for number in range(1, 34)]
CACHE = ["sim34", "sim35", "sim36"]
DRAIN = "drain: {timeout: 2s"

COUNTED = ("pending", "inProgress", "upgraded", "skipped", "reverted", "quarantined", "cancelled")
FAILED_MAX = 1
IN_PROGRESS_MAX = 8  # By the policy's capacity: as many as begin before anybody can have failed.
BAD, GOOD = "gen9", "gen8"


def policy(fleet: Fleet, folder: Path, application: str, spec: str) -> None:
    path = folder / f"{application}.yaml"
    path.write_text(
        f"apiVersion: drydock.dev/v1\nkind: UpgradePolicy\nmetadata: {{name: {application}, team: sre}}\n"
        f"spec: {{applications: [{application}], {spec}}}\n"
    )
    apply(fleet, path)


def counts(states: dict[str, str]) -> dict[str, int]:
    """Each host counted in its one state, in the words of a rollout's record."""
    found = collections.Counter(state[0].lower() + state[1:] for state in states.values())
    assert set(found) <= set(COUNTED), found
    return {word: found[word] for word in COUNTED}


def add_up(states: dict[str, str], submitted: list[str], records: dict[str, dict[str, Any]]) -> None:
    """No host is lost or there twice, and every record that counts them counts the same."""
    assert sorted(states) == sorted(submitted), "a host is lost"
    for source, record in records.items():
        told = {word: record.get(word, 0) for word in COUNTED}
        assert told == counts(states), f"{source} counts otherwise"
        assert sum(told.values()) == record["hostCount"] == len(submitted), f"{source} does not add up"


def records(fleet: Fleet, rollout: str) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """The state of each host by the API, and who else counts them: the command line, the console's resource, the report."""
    report = json.loads(fleet.run("sre", "rollout", "report", rollout, "-o", "json").stdout)
    left_out = [host for group in report["incomplete"] for host in group["hosts"]]
    assert report["completeHosts"] + len(left_out) == report["rollout"]["hostCount"], "the report does not add up"
    assert len(set(left_out)) == len(left_out), "the report names a host twice"
    states = {host: row["state"] for host, row in fleet.upgrades(rollout).items()}
    listed = next(one for one in fleet.sre.ask("rollout", "list") if one["id"] == rollout)
    told = fleet.sre.ask("rollout", "get", rollout)
    assert {row["host"]: row["state"] for row in told["hostUpgrades"]} == states, "the command line tells other states"
    return states, {
        "the API": fleet.http(f"rollouts/{rollout}"),
        "the list": listed,
        "the command line": told,
        "the report": report["rollout"],
    }


@pytest.mark.full
def test_forty_hosts_of_which_a_tenth_fail_in_five_ways_all_end_and_are_counted(consumers: Consumers, tmp_path: Path) -> None:
    fleet = consumers.fleet
    lab = fleet.lab.hosts()[:IN_LAB]
    policy(fleet, tmp_path, "ledger", f"capacity: [{{maxUnavailable: 50%}}], {DRAIN}, onTimeout: Quarantine}}")
    policy(fleet, tmp_path, "cache", f"capacity: [{{maxUnavailable: 1}}], {DRAIN}}}")
    hosts = [SimHost(name, "ledger") for name in LEDGER] + [SimHost(name, "cache") for name in CACHE]
    expected = dict.fromkeys([*lab, *LEDGER, *CACHE], "Upgraded") | {
        "sim01": "Quarantined",
        "sim05": "Quarantined",
        "sim09": "Quarantined",
        "sim17": "Quarantined",
        "sim30": "Skipped",
        "sim34": "Reverted",
        "sim36": "Cancelled",
    }
    with consumers.planted("lab_operator.py"), site(fleet, hosts) as simulated:
        assert fleet.ended(fleet.start(["sim30"], "before"), 60)["state"] == "Succeeded"
        assert fleet.run("sre", "host", "maintenance", "start", "sim36", "--reason", "a disk").returncode == 0
        simulated.fails("Update", "sim01")
        simulated.fails("Health", "sim05")
        simulated.never_drains("sim09")
        simulated.dies_once("Update", "sim13")
        simulated.fails("Health", "sim17", "Unknown")
        simulated.never_drains("sim34")
        rollout = fleet.start([*expected], "forty")
        assert fleet.run("sre", "rollout", "remove", rollout, "sim36", "--reason", "a disk").returncode == 0
        # As long as it lasts it takes all that may be unavailable of the cache.
        assert fleet.run("sre", "host", "maintenance", "end", "sim36").returncode == 0
        assert fleet.ended(rollout, 240)["state"] == "Degraded"
        states, told = records(fleet, rollout)
        assert states == expected
        add_up(states, [*expected], told)
        rows = fleet.upgrades(rollout)
        assert all(row["reason"] for row in rows.values() if row["state"] != "Upgraded"), "a host ended without a reason"
        assert told_of(fleet, rollout, "JobClaimLost") == ["sim13"], "nobody took over from who died"
    assert {host: fleet.differences()[host] for host in lab} == dict.fromkeys(lab, "")


def told_of(fleet: Fleet, rollout: str, kind: str) -> list[str]:
    """The hosts of a rollout of which the feed tells such an event, in order."""
    page = fleet.http(f"events?q=after&cursor=0&rollout={rollout}&kinds=List({kind})&count=1000")
    return [event.get("host", "") for event in page["elements"]]


@pytest.mark.parametrize(
    ("planted", "told"),
    [
        ({"upgraded": 2, "quarantined": 0}, "the report counts otherwise"),
        ({"hostCount": 4}, "the report does not add up"),
    ],
)
def test_control_a_report_that_miscounts_is_found(planted: dict[str, int], told: str) -> None:
    states = {"h01": "Upgraded", "h02": "Quarantined", "h03": "Skipped"}
    right = {"hostCount": 3, "upgraded": 1, "quarantined": 1, "skipped": 1}
    add_up(states, [*states], {"the report": right})
    with pytest.raises(AssertionError, match=told):
        add_up(states, [*states], {"the report": {**right, **planted}})
    with pytest.raises(AssertionError, match="a host is lost"):
        add_up(states, [*states, "h04"], {"the report": right})


class BadImage:
    """A rollout of 24 hosts of which every third is of a class on which the release does not come up. The others work
    until they are let go on, so that it is known who failed first."""

    hosts = tuple(SimHost(f"simx{number:02}", "books", GOOD if number % 3 else BAD) for number in range(1, 25))

    def __init__(self, fleet: Fleet, folder: Path, simulated: Site, failure: str) -> None:
        self.fleet = fleet
        policy(fleet, folder, "books", f"capacity: [{{maxUnavailable: {IN_PROGRESS_MAX}}}]{failure}")
        self.bad = {host.name for host in self.hosts if host.hardware_class == BAD}
        self.go_on = threading.Event()
        for host in self.bad:
            simulated.fails("Health", host)
        simulated.held = lambda job: job["step"] == "Update" and job["host"] not in self.bad and not self.go_on.is_set()
        release = folder / "bad-image.json"
        release.write_text(json.dumps({**json.loads(fleet.release_file.read_text()), "name": "bad-image"}))
        Client(fleet.instance, "sre").must("release", "add", str(release))
        self.submitted = [host.name for host in self.hosts]
        self.id = fleet.start(self.submitted, "bad-image", release="bad-image")

    def states(self) -> dict[str, str]:
        return {host: row["state"] for host, row in self.fleet.upgrades(self.id).items()}

    def failed(self) -> list[str]:
        return [host for host, state in self.states().items() if state == "Quarantined"]

    def settled(self) -> None:
        """Whoever may go on is done: the others are upgraded, or nobody begins any more."""
        self.go_on.set()

        def look() -> bool:
            states = self.states()
            rest = {state for host, state in states.items() if host not in self.bad}
            return "InProgress" not in states.values() and (rest == {"Upgraded"} or len(self.failed()) == IN_PROGRESS_MAX)

        eventually("whoever may go on is done", look, 120)

    def is_isolated(self) -> None:
        """At most those failed that may, one that was too many, and who was in progress by then; all others are upgraded."""
        states = self.states()
        begun = [host for host in self.bad if states[host] != "Pending"]
        assert set(self.failed()) == set(begun)
        assert FAILED_MAX < len(begun) <= FAILED_MAX + 1 + IN_PROGRESS_MAX // 3, f"{len(begun)} of the bad class began"
        waiting = [row["reason"] for host, row in self.fleet.upgrades(self.id).items() if host in self.bad and host not in begun]
        assert waiting and all(reason.startswith(f"no further host of class {BAD} with books begins: ") for reason in waiting), waiting
        assert {state for host, state in states.items() if host not in self.bad} == {"Upgraded"}, "the others did not finish"

    def _state(self) -> str:
        return str(self.fleet.http(f"rollouts/{self.id}")["state"])

    def abort(self) -> str:
        """Its state then; nothing is left to be aborted where every host has ended by itself."""
        aborted = self.fleet.run("sre", "rollout", "abort", self.id, "--reason", "the image is bad")
        assert aborted.returncode == 0 or "Degraded: it cannot abort" in aborted.stderr, aborted
        state = str(eventually("it has ended", lambda: self._state() in ("Aborted", "Degraded") and self._state(), 60))
        states, told = records(self.fleet, self.id)
        assert set(states.values()) <= FINAL, states
        add_up(states, self.submitted, told)
        return state


def test_a_bad_image_on_one_class_is_halted_there_and_the_others_finish(consumers: Consumers, tmp_path: Path) -> None:
    fleet = consumers.fleet
    with consumers.planted("lab_operator.py"), site(fleet, list(BadImage.hosts)) as simulated:
        rollout = BadImage(fleet, tmp_path, simulated, f", failure: {{maxFailed: {FAILED_MAX}}}")
        eventually("the class is halted", lambda: told_of(fleet, rollout.id, "CohortHalted"), 60)
        rollout.settled()
        rollout.is_isolated()
        assert rollout.abort() == "Aborted"


@pytest.mark.full
def test_control_without_a_budget_the_bad_class_takes_all_there_is(consumers: Consumers, tmp_path: Path) -> None:
    fleet = consumers.fleet
    with consumers.planted("lab_operator.py"), site(fleet, list(BadImage.hosts)) as simulated:
        rollout = BadImage(fleet, tmp_path, simulated, "")
        eventually("two have failed", lambda: len(rollout.failed()) > FAILED_MAX, 60)
        rollout.settled()
        with pytest.raises(AssertionError, match="of the bad class began"):
            rollout.is_isolated()
        rollout.abort()
