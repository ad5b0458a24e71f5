"""The files other programs read: the allocation list, SSH access, releases, policies, the list of hosts."""

from __future__ import annotations

from typing import Any

from drydock_lab import files, media
from drydock_lab.instance import Instance
from drydock_lab.keys import Keys
from drydock_lab.plan import LabPlan
from drydock_lab.release import BROKEN, RELEASES, Family

# The demo's rules, one form of rule each; together they let at least three of ten hosts go at once.
RULES = {"web": "{maxUnavailable: 40%}", "search": "{maxUnavailable: 2}", "ads": "{maxUnavailable: 35%}"}


def write_all(instance: Instance, plan: LabPlan) -> None:
    """Writes every file, each in one step. Policies an operator changed are kept."""
    lab, keys = instance.lab, Keys(instance)
    ssh = {"user": "root", "keyFile": str(keys.client), "knownHostsFile": str(keys.known_hosts)}
    files.write_json(lab / "ssh.json", ssh)
    files.write_json(lab / "static.json", allocation(instance, plan, ssh))
    for release in (*RELEASES, *BROKEN):
        document: dict[str, Any] = {
            "name": release.name,
            "channel": f"http://{instance.package_server}/{Family.APT}/{release.channel}",
            "packages": release.packages(Family.APT),
            "dnfChannel": f"http://{instance.package_server}/{Family.DNF}/{release.channel}",
            "dnfPackages": release.packages(Family.DNF),
            "kernel": release.kernel,
        }
        if release in RELEASES:
            document |= {"images": {family: media.url(instance, release, family) for family in Family}, "imageVersion": release.version}
        files.write_json(lab / "releases" / f"{release.name}.json", document)
    for application in plan.applications:
        files.write(lab / "policies" / f"{application.name}.yaml", policy(application.name))
    lines = "".join(f"{host.name}\n" for host in plan.hosts)
    files.write(lab / "hosts.txt", f"# every host of this lab\n{lines}")


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
                "zone": host.zone,
            }
            for host in plan.hosts
            for application in host.applications
        ],
    }


def policy(application: str) -> str:
    return f"""\
apiVersion: drydock.dev/v1
kind: UpgradePolicy
metadata: {{name: {application}, team: {application}}}
spec:
  applications: [{application}]
  capacity:
    - {RULES[application]}
  health: {{maxAge: 60s}}
"""
