"""Plan, instance file, allocation list and policies: pure, and what others build on."""

import json
from pathlib import Path

import pytest
import yaml

from drydock_lab import artifacts, instance
from drydock_lab.balancer import configuration_text
from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.lifecycle import Size
from drydock_lab.plan import LabPlan, plan
from drydock_lab.release import Family, Metal

IDENTITY = Instance("a1b2c", Path("/somewhere/.drydock"), {"balancerStats": 10020, "labControl": 10021, "balancer": 10022}, "10.70.3")


def test_ten_hosts_carry_web_everywhere_search_on_the_first_six_and_ads_on_the_last_six() -> None:
    laid_out = plan(IDENTITY, 10)
    carried = {app.name: [host.name for host in laid_out.hosts_of(app)] for app in laid_out.applications}
    assert carried["web"] == [f"h{n:02d}" for n in range(1, 11)]
    assert carried["search"] == ["h01", "h02", "h03", "h04", "h05", "h06"]
    assert carried["ads"] == ["h05", "h06", "h07", "h08", "h09", "h10"]
    assert laid_out.host("h10").address == "10.70.3.20"


@pytest.mark.parametrize("hosts", [1, 2, 3, 7, 10, 50])
def test_every_host_carries_at_least_two_applications(hosts: int) -> None:
    laid_out = plan(IDENTITY, hosts)
    assert len(laid_out.hosts) == hosts
    assert all(len(host.applications) >= 2 for host in laid_out.hosts)
    assert len({host.address for host in laid_out.hosts}) == hosts


def test_hosts_with_dnf_are_spread_over_applications_and_zones() -> None:
    laid_out = plan(IDENTITY, 10, 3)
    assert [host.name for host in laid_out.hosts if host.family is Family.DNF] == ["h04", "h07", "h10"]
    for application in laid_out.applications:
        assert {host.family for host in laid_out.hosts_of(application)} == set(Family)
    mixed = {zone for zone in {host.zone for host in laid_out.hosts} if families_in(laid_out, zone) == set(Family)}
    assert mixed == {"z2", "z4", "z5"}
    document = artifacts.allocation(IDENTITY, laid_out, {"user": "root"})
    assert [host["labels"]["os-family"] for host in document["hosts"]].count("dnf") == 3


def families_in(laid_out: LabPlan, zone: str) -> set[Family]:
    return {host.family for host in laid_out.hosts if host.zone == zone}


@pytest.mark.parametrize("rpm", [0, 1, 2, 3])
def test_as_many_hosts_have_dnf_as_were_asked_for(rpm: int) -> None:
    assert [host.family for host in plan(IDENTITY, 3, rpm).hosts].count(Family.DNF) == rpm


@pytest.mark.parametrize("rpm", [-1, 4])
def test_more_hosts_with_dnf_than_hosts_are_refused(rpm: int) -> None:
    with pytest.raises(LabError, match="--rpm must be between 0 and the 3 hosts"):
        plan(IDENTITY, 3, rpm)


def test_what_is_not_asked_for_is_as_last_time(tmp_path: Path) -> None:
    this = Instance("a1b2c", tmp_path, IDENTITY.ports, "10.70.3")
    assert Size.asked(this, None, None) == Size(10, 3)
    this.lab.mkdir()
    (this.lab / "lab.json").write_text('{"hosts": 4}')  # as an earlier version wrote it
    assert Size.asked(this, None, None) == Size(4, 0)
    (this.lab / "lab.json").write_text('{"hosts": 4, "rpm": 2}')
    assert [Size.asked(this, *asked) for asked in ((None, None), (4, None), (4, 1), (5, None), (5, 1))] == [
        *(Size(4, 2), Size(4, 2), Size(4, 1)),
        *(Size(5, 0), Size(5, 1)),
    ]
    assert Size.asked(this, 1, None, "qemu") == Size(1, 0, Metal.QEMU)
    assert Size.asked(this, None, None, "qemu") == Size(4, 0, Metal.QEMU), "virtual machines have no rpm by themselves"
    (this.lab / "lab.json").write_text('{"hosts": 1, "rpm": 0, "metal": "qemu"}')
    assert Size.asked(this, None, None) == Size(1, 0, Metal.QEMU)


def test_virtual_machines_with_rpm_are_refused() -> None:
    with pytest.raises(LabError, match="--rpm must be 0"):
        plan(IDENTITY, 3, 1, Metal.QEMU)


def test_a_release_has_a_channel_and_versions_for_each_family(tmp_path: Path) -> None:
    this = Instance("a1b2c", tmp_path, IDENTITY.ports, "10.70.3")
    artifacts.write_all(this, plan(IDENTITY, 2, 1))
    release = json.loads((this.lab / "releases" / "2.json").read_text())
    assert (release["channel"], release["packages"]["fleet-os"]) == ("http://10.70.3.1:8080/apt/v2", "2.0")
    assert (release["dnfChannel"], release["dnfPackages"]["fleet-os"]) == ("http://10.70.3.1:8080/dnf/v2", "2.0-1")


@pytest.mark.parametrize("hosts", [0, -1, 51])
def test_a_silly_number_of_hosts_is_refused(hosts: int) -> None:
    with pytest.raises(LabError, match="between 1 and 50"):
        plan(IDENTITY, hosts)


def test_an_unknown_host_is_named() -> None:
    with pytest.raises(LabError, match="no host h99 in this lab, it has h01 to h03"):
        plan(IDENTITY, 3).host("h99")


def test_the_allocation_list_names_every_instance_and_the_rotation() -> None:
    document = artifacts.allocation(IDENTITY, plan(IDENTITY, 10), {"user": "root"})
    assert document["rotation"] == {"kind": "haproxy", "address": "127.0.0.1:10020"}
    assert len(document["hosts"]) == 10
    assert len(document["instances"]) == 22
    one = next(entry for entry in document["instances"] if entry["id"] == "search@h03")
    assert (one["host"], one["port"], one["service"], one["healthPath"], one["zone"]) == ("h03", 8102, "search", "/health", "z2")


def test_the_policies_let_at_least_three_hosts_go_at_once() -> None:
    laid_out = plan(IDENTITY, 10)
    budget = {"web": 4, "search": 2, "ads": 2}
    for name in budget:
        assert yaml.safe_load(artifacts.policy(name, 6))["spec"]["applications"] == [name]
    together = 0
    for host in (laid_out.hosts[0], laid_out.hosts[1], laid_out.hosts[6], laid_out.hosts[7]):
        names = [application.name for application in host.applications]
        assert all(budget[name] > 0 for name in names)
        budget.update({name: budget[name] - 1 for name in names})
        together += 1
    assert together >= 3


def test_a_share_of_few_hosts_would_let_none_go() -> None:
    rules = [yaml.safe_load(artifacts.policy("web", hosts))["spec"]["capacity"] for hosts in (1, 2, 3)]
    assert rules == [[{"maxUnavailable": 1}], [{"maxUnavailable": 1}], [{"maxUnavailable": "40%"}]]


def test_the_balancer_hides_nothing() -> None:
    text = configuration_text(plan(IDENTITY, 2), 10020, Path("/state"))
    assert "retries 0" in text
    assert "option redispatch" not in text
    assert " check" not in text
    assert "server h02 10.70.3.12:8101" in text
    assert [line.split(":")[1] for line in text.splitlines() if "bind 127.0.0.1" in line] == ["10022", "10023", "10024"]


def test_the_instance_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text(json.dumps({"id": "a1b2c", "stateDir": "/s", "ports": IDENTITY.ports, "subnet": "10.70.3"}))
    assert instance.load(path) == Instance("a1b2c", Path("/s"), IDENTITY.ports, "10.70.3")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "does not exist"),
        ("{", "not a valid instance file"),
        ("{}", "not a valid instance file"),
        ('{"id": "a", "stateDir": "/s", "ports": {"labControl": 1}, "subnet": "10.1.1"}', "lacks the ports balancerStats, balancer"),
        ('{"id": "toolong", "stateDir": "/s", "ports": {"labControl": 1, "balancerStats": 2, "balancer": 3}, "subnet": "x"}', "longer"),
    ],
)
def test_a_bad_instance_file_says_what_to_do(tmp_path: Path, content: str | None, complaint: str) -> None:
    path = tmp_path / "instance.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(LabError, match=complaint):
        instance.load(path)
