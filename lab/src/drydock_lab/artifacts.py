"""The files other programs read: the allocation list, SSH access, releases, policies, checks of health, the list of hosts."""

from __future__ import annotations

from typing import Any

from drydock_lab import files, media, services
from drydock_lab.instance import Instance
from drydock_lab.keys import Keys
from drydock_lab.plan import LabPlan
from drydock_lab.release import BROKEN, RELEASES, Family, Metal, Release
from drydock_lab.vm.releases import releases as virtual_releases

# The demo's rules, one form of rule each; together they let at least three of ten hosts go at once, and of at least three one.
RULES = {"web": "{maxUnavailable: 40%}", "search": "{maxUnavailable: 2}", "ads": "{maxUnavailable: 35%}"}
HOSTS_FOR_SHARES, RULE_OF_FEW = 3, "{maxUnavailable: 1}"
# What hosts have to pass after their update if its policy says so. On /data an owner may leave a veto.
CHECKS: dict[str, dict[str, Any]] = {
    "data-partition": {"command": ["sh", "-c", "test -w /data && stat --file-system --format=%T /data"], "want": "ext2/ext3"},
    "no-veto": {"command": ["test", "!", "-e", "/data/veto"], "seconds": 5},
}
CHECKED = {"web": ", checks: [data-partition, no-veto]"}


def write_all(instance: Instance, plan: LabPlan) -> None:
    """Writes every file, each in one step. Policies an operator changed are kept."""
    lab, keys = instance.lab, Keys(instance)
    ssh = {"user": "root", "keyFile": str(keys.client), "knownHostsFile": str(keys.known_hosts)}
    files.write_json(lab / "ssh.json", ssh)
    files.write_json(lab / "static.json", allocation(instance, plan, ssh))
    virtual = plan.metal is Metal.QEMU
    whole = virtual_releases() if virtual else RELEASES
    families = [Family.APT] if virtual else list(Family)
    for release in (*whole, *(() if virtual else BROKEN)):
        document = release_document(instance, release)
        if release in whole:
            images = {family: media.url(instance, release, family, plan.metal) for family in families}
            document |= {"images": images, "imageVersion": release.version}
        files.write_json(lab / "releases" / f"{release.name}.json", document)
    for application in plan.applications:
        files.write(lab / "policies" / f"{application.name}.yaml", policy(application.name, len(plan.hosts_of(application))))
    for name, check in CHECKS.items():
        files.write_json(lab / "health-checks" / f"{name}.yaml", check)
    lines = "".join(f"{host.name}\n" for host in plan.hosts)
    files.write(lab / "hosts.txt", f"# every host of this lab\n{lines}")


def release_document(instance: Instance, release: Release, folder: str = "") -> dict[str, Any]:
    """What Drydock is told of a release whose channels the package server has in this folder. Images are not in it."""
    server = f"http://{instance.package_server}/{folder}".rstrip("/")
    return {
        "name": release.name,
        "channel": f"{server}/{Family.APT}/{release.channel}",
        "packages": release.packages(Family.APT),
        "dnfChannel": f"{server}/{Family.DNF}/{release.channel}",
        "dnfPackages": release.packages(Family.DNF),
        "kernel": release.kernel,
    }


def allocation(instance: Instance, plan: LabPlan, ssh: dict[str, str]) -> dict[str, Any]:
    """The static scheduler's allocation list, which is also its adapter's configuration."""
    return {
        "scheduler": "static",
        "source": "static",
        "ssh": ssh,
        "rotation": {"kind": "haproxy", "address": f"127.0.0.1:{instance.ports['balancerStats']}"},
        "hosts": [
            {
                "name": host.name,
                "address": host.address,
                "hardwareClass": "standard",
                "labels": {"rack": f"r{host.zone[1:]}", "os-family": host.family},
                "zones": {application.name: host.zone for application in host.applications},
            }
            for host in plan.hosts
        ],
        "instances": [
            {
                "id": f"{application.name}@{host.name}",
                "application": application.name,
                "host": host.name,
                "port": application.port,
                "healthPath": "/health",
                "service": application.name,
                "run": services.program(application),
                "zone": host.zone,
            }
            for host in plan.hosts
            for application in host.applications
        ],
    }


def policy(application: str, hosts: int) -> str:
    """Of an application on so many hosts."""
    rule = RULES[application] if hosts >= HOSTS_FOR_SHARES else RULE_OF_FEW
    return f"""\
apiVersion: drydock.dev/v1
kind: UpgradePolicy
metadata: {{name: {application}, team: {application}}}
spec:
  applications: [{application}]
  capacity:
    - {rule}
  health: {{maxAge: 60s{CHECKED.get(application, "")}}}
"""
