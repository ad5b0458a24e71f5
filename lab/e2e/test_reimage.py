"""Rollouts that re-image: hosts get a new main partition through their BMCs, under traffic, and keep their data."""

import re
from pathlib import Path
from typing import Any

import pytest
from consumers import Consumers
from fleet import apply, unharmed
from reimage_checks import Site, of_both_families

from drydock_stack.service import http_json

pytestmark = pytest.mark.e2e

DEPLOYS = "adapter-deploy-begun"
# In the order in which a re-image passes them.
EFFECTS = ("keep", "insert", "shut_down", "boot_once", "power_on", "eject")
ONE_ZONE = "maxZonesInFlight: 1"


def re_image(site: Site, request: str, seconds: float) -> dict[str, Any]:
    """Judges hosts, traffic and promises; answers what the observer reports."""
    fleet = site.fleet
    with fleet.witnessed() as reports:
        rollout = fleet.start(site.hosts, request, "--mode", "Reimage")
        summary = fleet.ended(rollout, seconds)
    assert summary["state"] == "Succeeded", summary
    unharmed(reports)
    site.judge(rollout)
    return reports["observer"]


def zone_after_zone(folder: Path) -> list[Path]:
    """The policies of the lab, and that no application may be down in two zones at once; the observer reads them, Drydock is not told."""
    policies = sorted(folder.glob("*.yaml"))
    for path in policies:
        path.write_text(re.sub(r"(?m)^( +- ){max.*$", rf"\g<0>\n\g<1>{{{ONE_ZONE}}}", path.read_text(), count=1))
        assert ONE_ZONE in path.read_text()
    return policies


def test_hosts_of_both_families_are_re_imaged_and_keep_their_data(consumers: Consumers) -> None:
    site = Site(consumers, of_both_families(consumers.fleet))
    re_image(site, "re-image-two", 600)


@pytest.mark.full
def test_ten_hosts_are_re_imaged_zone_after_zone(consumers: Consumers, folder: Path) -> None:
    apply(consumers.fleet, *zone_after_zone(folder))
    observed = re_image(Site(consumers, consumers.fleet.lab.hosts()), "re-image-ten", 1800)
    judged_by = {name: application["rules"] for name, application in observed["applications"].items()}
    assert all(any("maxZonesInFlight" in rule for rule in rules) for rules in judged_by.values()), judged_by


@pytest.mark.full
def test_the_observer_sees_re_images_in_two_zones_at_once_when_drydock_was_not_told(consumers: Consumers, folder: Path) -> None:
    """The control: Drydock grants by the policies without the rule that the observer judges by."""
    fleet = consumers.fleet
    zone_after_zone(folder)
    with fleet.witnessed() as reports:
        fleet.ended(fleet.start(of_both_families(fleet), "re-image-zones", "--mode", "Reimage"), 600)
    assert reports["observer"]["violations"] > 0, reports["observer"]


@pytest.mark.full
@pytest.mark.parametrize("moment", ["due", "done"])  # A job that kills eight of its consumers is given up.
def test_a_re_image_survives_its_operator_killed_around_each_effect(consumers: Consumers, moment: str) -> None:
    points = tuple(f"operator-reimage-{effect}-{moment}" for effect in EFFECTS)
    consumers.forget((*points, DEPLOYS))
    site = Site(consumers, of_both_families(consumers.fleet)[:1])
    consumers.again("operator", points)
    consumers.again("adapter", (DEPLOYS,))
    with site.fleet.witnessed() as reports:
        rollout = site.fleet.start(site.hosts, f"re-image-{moment}", "--mode", "Reimage")
        summary = consumers.kept_alive(rollout, 1800, {"operator": points, "adapter": (DEPLOYS,)})
    assert summary["state"] == "Succeeded", summary
    unharmed(reports)
    assert sorted(consumers.hit((*points, DEPLOYS))) == sorted((*points, DEPLOYS)), "they died everywhere"
    site.judge(rollout, closed=False)


@pytest.mark.full
@pytest.mark.parametrize("fault", ["503 5", "mute 1", "hang 2", "slow", "dropSessions", "flapping"])
def test_a_re_image_survives_a_bmc_that(consumers: Consumers, fault: str) -> None:
    site = Site(consumers, of_both_families(consumers.fleet)[:1])
    kind, *times = fault.split()
    url = f"http://127.0.0.1:{site.fleet.instance.port('labControl')}/hosts/{site.hosts[0]}/fault"
    body = {"kind": "bmc", "value": kind, **({"times": int(times[0])} if times else {})}
    assert http_json(url, body, seconds=10)[0] == 200
    with site.fleet.witnessed() as reports:
        rollout = site.fleet.start(site.hosts, f"re-image-{kind}", "--mode", "Reimage")
        summary = site.fleet.ended(rollout, 900)
    assert http_json(url, {"kind": "bmc", "value": "ok"}, seconds=10)[0] == 200
    assert summary["state"] == "Succeeded", summary
    unharmed(reports)
    site.judge(rollout, closed=False)
