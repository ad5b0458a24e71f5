"""The life of a lab as its commands see it: up, down, reset, status."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from drydock_lab import artifacts, control_client, files, preflight, processes, supervisor, sweep
from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.plan import LabPlan, plan
from drydock_lab.progress import say
from drydock_lab.release import Metal

START_SECONDS_MAX = 120.0
STOP_SECONDS_MAX = 180.0
READY_SECONDS_MAX = 660.0  # the lab gives up before
LOG_TAIL_LINES = 15


@dataclass(frozen=True)
class Size:
    """How many hosts a lab has, how many of them are of the family dnf, and what its machines are."""

    hosts: int = 10
    rpm: int = 3
    metal: Metal = Metal.NAMESPACES

    @staticmethod
    def asked(instance: Instance, hosts: int | None, rpm: int | None, metal: str | None = None) -> Size:
        """What was not asked for is as last time; a lab of another size or metal has no hosts with rpm unless asked for."""
        last = _last_size(instance) or Size()
        made_of = last.metal if metal is None else Metal(metal)
        if hosts in (None, last.hosts) and made_of is last.metal:
            return Size(last.hosts, last.rpm if rpm is None else rpm, made_of)
        return Size(last.hosts if hosts is None else hosts, rpm or 0, made_of)

    def plan(self, instance: Instance) -> LabPlan:
        return plan(instance, self.hosts, self.rpm, self.metal)

    def options(self) -> list[str]:
        """Of the commands that take a size."""
        return ["--hosts", str(self.hosts), "--rpm", str(self.rpm), "--metal", self.metal]

    def __str__(self) -> str:
        if self.metal is Metal.QEMU:
            return f"{self.hosts} virtual machines"
        return f"{self.hosts} hosts, {self.rpm} of them with rpm"


def build(metal: Metal) -> None:
    """Makes the images; everything that can take long."""
    preflight.check(metal)
    supervisor.build(metal)


def up(instance: Instance, wanted: Size) -> None:
    """Returns when every host and instance answers; a lab of this size that runs already is left as it is."""
    preflight.check(wanted.metal)
    with _alone(instance):
        laid_out = wanted.plan(instance)
        if processes.living(instance.pid_file("lab")) is None:
            preflight.check_ports(instance, laid_out)
            supervisor.build(wanted.metal)
            artifacts.write_all(instance, laid_out)
            files.write_json(instance.lab / "lab.json", asdict(wanted))
            _start(instance, wanted)
            control_client.call(instance, "POST", "/ready", seconds_max=READY_SECONDS_MAX)
            say(f"lab: {wanted}, ready at {laid_out.hosts[0].address} and up")
        elif _last_size(instance) != wanted:
            raise LabError(f"the lab runs with {_last_size(instance)}: `down` first, then `up {' '.join(wanted.options())}`")
        else:
            # Hosts in the middle of an upgrade are nobody's fault: no waiting for them here.
            say(f"lab: {wanted}, running already")


def down(instance: Instance) -> None:
    with _alone(instance):
        was_running = processes.stop(instance.pid_file("lab"), STOP_SECONDS_MAX)
        left = sweep.sweep(instance)
    say("lab: down" if was_running else f"lab: was not running{', removed what a dead one left' if left else ''}")


def reset(instance: Instance) -> None:
    began = time.monotonic()
    answer = control_client.call(instance, "POST", "/reset", seconds_max=READY_SECONDS_MAX)
    say(f"lab: {answer['hosts']} hosts back on release 1 in {time.monotonic() - began:.1f} s")


def sweep_dead(instance: Instance) -> None:
    """Does nothing while the lab's owner lives."""
    with _alone(instance):
        if processes.living(instance.pid_file("lab")) is not None:
            return
        instance.pid_file("lab").unlink(missing_ok=True)
        for removed in sweep.sweep(instance):
            say(f"lab: removed {removed}")


def status(instance: Instance) -> None:
    for host in control_client.call(instance, "GET", "/hosts")["hosts"]:
        waiting = ", ".join(host["notReady"])
        machine = f"{host['name']}  {host['address']:<15} {host['family']:<4} {host['power']:<4}"
        system = f"release {host['release'] or '-'}  {host['kernel'] or '-':<16} boot {(host['bootId'] or '-')[:8]:<9}"
        say(f"{machine} {system} {'ready' if not waiting else f'no answer: {waiting}'}")


def supervise(instance: Instance, laid_out: LabPlan) -> None:
    """The daemon itself."""
    processes.write_pid_file(instance.pid_file("lab"), os.getpid())
    supervisor.supervise(instance, laid_out)
    instance.pid_file("lab").unlink(missing_ok=True)


def _start(instance: Instance, wanted: Size) -> None:
    log = instance.log_file("lab")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        begin = output.tell()
        instance_file = instance.state / "instance.json"
        arguments = ["--instance", str(instance_file), "supervise", *wanted.options()]
        daemon = subprocess.Popen(
            [sys.executable, "-m", "drydock_lab", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            cwd="/",
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
        )
    deadline = time.monotonic() + START_SECONDS_MAX
    while not control_client.answers(instance):
        if daemon.poll() is not None:
            raise LabError(f"the lab did not start; the end of {log}:\n{_tail(log.read_bytes()[begin:])}")
        if time.monotonic() > deadline:
            processes.stop(instance.pid_file("lab"), STOP_SECONDS_MAX)
            raise LabError(f"the lab did not start within {START_SECONDS_MAX:.0f} s, see {log}")
        time.sleep(0.1)


def _tail(text: bytes) -> str:
    return "\n".join(f"  {line}" for line in text.decode(errors="replace").splitlines()[-LOG_TAIL_LINES:])


def _last_size(instance: Instance) -> Size | None:
    try:
        document = json.loads((instance.lab / "lab.json").read_text())
        return Size(int(document["hosts"]), int(document.get("rpm", 0)), Metal(document.get("metal", Metal.NAMESPACES)))
    except (FileNotFoundError, ValueError, KeyError):
        return None


@contextmanager
def _alone(instance: Instance) -> Iterator[None]:
    """One command at a time changes the lab."""
    path = instance.state / "run" / "lab.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
