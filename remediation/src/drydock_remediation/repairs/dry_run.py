"""What each repair would do to a host now, as one JSON object. Reads, and changes nothing.

python -m drydock_remediation.repairs.dry_run HOST ADDRESS [--release FILE] [--application NAME]...; the environment is that
of the operator, FILE a release as it was added to the catalogue.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drydock_remediation.bundle import ALONE
from drydock_remediation.commands import Wrapper, objections, objections_to_names
from drydock_remediation.framed_output import ask
from drydock_remediation.health.redfish import MachineReader, RedfishMachineReader
from drydock_remediation.records import FAMILIES, REIMAGE, Claim, Job, Repair, Step
from drydock_remediation.reimage import plan
from drydock_remediation.reimage.bmc import Bmc
from drydock_remediation.reimage.decide import Deadlines, Order
from drydock_remediation.reimage.facts import OFF, ON, HostState, View
from drydock_remediation.reimage.host import Host, NoAnswer, NotDone
from drydock_remediation.reimage.machines import RealMachines
from drydock_remediation.reimage.run import Machines
from drydock_remediation.reimage.session import NotUsable, Silent
from drydock_remediation.repairs.clean_disk import CLEAN_SECONDS, ON_HOST
from drydock_remediation.repairs.clean_rules import Rules
from drydock_remediation.repairs.power_cycle_decisions import PATIENCE
from drydock_remediation.settings import Settings, SettingsError, Ssh, read_settings

WOULD = {
    ON: f"be asked to shut down, forced off after {PATIENCE.shutdown:.0f} s, and powered on",
    OFF: "be powered on",
}
NOBODY = "0.0.0.1"  # stands where a token does, and is never shown to a host


def dry_run(settings: Settings, job: Job, looks: MachineReader | None, machines: Machines) -> dict[str, Any]:
    there = read(machines.host(Claim(job, "", 0, NOBODY, 0, 0.0)))
    return {
        "host": job.host,
        str(Repair.CLEAN_DISK): clean(settings.ssh, job.address, settings.clean_rules),
        str(Repair.POWER_CYCLE): power_cycle(looks, job.host),
        "RestartService": restart_service(there, job),
        "RollBack": roll_back(there, job),
        REIMAGE: reimage(there, machines.bmc(job.host), job, Deadlines(install=settings.waits.install, bmc=settings.waits.bmc)),
    }


def read(host: Host) -> HostState | str:
    """What answers there, or why nothing does."""
    try:
        return host.read()
    except (NoAnswer, NotDone) as error:
        return str(error)


def restart_service(there: HostState | str, job: Job) -> dict[str, Any]:
    """Those of its applications that have a service there."""
    if not job.applications:
        return {"unknown": "no --application was given"}
    if isinstance(there, str):
        return {"unknown": there}
    return {"wouldRestart": sorted(name for name, defined in there.facts.services.items() if defined)}


def roll_back(there: HostState | str, job: Job) -> dict[str, Any]:
    """Packages that the release wants otherwise: what is there, and what would be."""
    if job.release is None:
        return {"unknown": "no --release was given"}
    if isinstance(there, str):
        return {"unknown": there}
    has, wanted = there.facts.packages, job.release.packages
    return {"wouldChange": {name: [has.get(name, ""), wanted[name]] for name in sorted(wanted) if has.get(name) != wanted[name]}}


def reimage(there: HostState | str, bmc: Bmc | None, job: Job, patience: Deadlines) -> dict[str, Any]:
    """The effects in order, and how it would end."""
    if job.release is None:
        return {"unknown": "no --release was given"}
    if not job.release.image:
        return {"unknown": f"release {job.release.name} has no image for {job.family}"}
    if bmc is None:
        return {"unknown": "nobody said where its BMC is"}
    try:
        seen = bmc.read(patience.read, tasks=True)
    except (Silent, NotUsable) as error:
        return {"unknown": str(error)}
    finally:
        bmc.close()
    if seen.tasks:
        return {"unknown": f"its BMC is busy: {', '.join(seen.tasks)}"}
    # A system that does not answer is no obstacle: what would be done about it is part of the plan.
    view = View(seen, None if isinstance(there, str) else there)
    *effects, end = plan.plan(view, Order(job.release.image, job.release.image_version), patience)
    return {"would": [f"{step.do}: {step.why}" for step in effects], "then": f"{end.do}: {end.why}"}


def clean(ssh: Ssh, address: str, rules: Rules) -> dict[str, Any]:
    """What would be removed: files and bytes by the name of their rule."""
    asked = [*ALONE, "-", json.dumps([rule.record() for rule in rules]), "plan"]
    done = ask(["ssh", *ssh.options(), f"{ssh.user}@{address}"], asked, CLEAN_SECONDS, ON_HOST.read_text())
    if done.code != 0:
        return {"unknown": done.err.strip()[-500:] or f"code {done.code}"}
    try:
        return {"wouldRemove": json.loads(done.out)["removed"]}
    except (ValueError, KeyError, TypeError) as error:
        return {"unknown": str(error) or type(error).__name__}


def power_cycle(looks: MachineReader | None, host: str) -> dict[str, str]:
    seen = looks.look(host, asks=1) if looks else None
    if seen is None:
        return {"unknown": "nobody said where its BMC is"}
    if seen.machine is None:
        return {"unknown": seen.why}
    would = WOULD.get(seen.machine.power)
    return {"would": would} if would else {"unknown": f"its power is {seen.machine.power}"}


def asked(arguments: Sequence[str]) -> Job:
    """What is asked about, as the job it would be; ends the program where that is no host's."""
    parser = argparse.ArgumentParser(prog="python -m drydock_remediation.repairs.dry_run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("host", metavar="HOST")
    parser.add_argument("address", metavar="ADDRESS")
    parser.add_argument("--release", metavar="FILE", type=Path, help="what RollBack and Reimage would bring it to: a release in JSON")
    parser.add_argument("--application", metavar="NAME", action="append", default=[], help="what runs there, for RestartService")
    parser.add_argument("--family", choices=sorted(FAMILIES), default="apt", help="of its packages; apt unless told")
    given = parser.parse_args(arguments)
    record: dict[str, Any] = {
        "id": "dry-run",
        "grant": "dry-run",
        "step": Step.UPDATE,
        "host": given.host,
        "address": given.address,
        "round": 0,
        "deadlineSeconds": 600,
        "instances": [{"application": name} for name in given.application],
        "osFamily": given.family,
    }
    try:
        if given.release:
            record["release"] = json.loads(given.release.read_text())
            if not record["release"]:
                raise ValueError("it is empty")  # noqa: TRY301 - told as all else that is wrong with it
        job = Job.read(record)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        parser.error(f"--release {given.release}: not a release for {given.family}: {error!r}")
    if wrong := objections(job, NOBODY) if job.release else objections_to_names(job):
        parser.error("; ".join(wrong))
    return job


def main(arguments: Sequence[str]) -> int:
    job = asked(arguments)
    try:
        settings = read_settings()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    looks = RedfishMachineReader(settings.bmcs) if settings.bmcs else None
    machines = RealMachines(settings.ssh, Wrapper(settings.wrapper), settings.bmcs)
    sys.stdout.write(json.dumps(dry_run(settings, job, looks, machines), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
