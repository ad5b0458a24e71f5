"""The command line of the lab."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from drydock_lab import control_client, lifecycle
from drydock_lab import instance as instances
from drydock_lab.bmc.faults import Fault
from drydock_lab.engine import run_beside
from drydock_lab.errors import LabError
from drydock_lab.host import Switch
from drydock_lab.host_faults import MISHAPS
from drydock_lab.instance import Instance
from drydock_lab.progress import say
from drydock_lab.release import Metal
from drydock_lab.traffic.command import add_arguments as add_traffic_arguments
from drydock_lab.traffic.command import generate


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    # Not every root shell looks where system programs are.
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    try:
        options.action(instances.load(options.instance), options)
    except LabError as problem:
        sys.stderr.write(f"lab: {problem}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools/python -m drydock_lab", description="The fleet lab of this checkout.")
    parser.add_argument("--instance", type=Path, help="instance file (default: DRYDOCK_INSTANCE or the checkout's own)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, action: object, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(action=action)
        return added

    up = command(
        "up",
        lambda i, o: lifecycle.up(i, lifecycle.Size.asked(i, o.hosts, o.rpm, o.metal)),
        "build what is missing, start all hosts, wait until all are ready",
    )
    up.add_argument("--hosts", type=int, help="how many hosts (default: as many as last time, else 10)")
    up.add_argument("--rpm", type=int, help="how many of them use rpm and dnf (default: as many as last time, else 3 of 10)")
    up.add_argument("--metal", choices=list(Metal), help="what machines are (default: as last time, else namespaces)")
    build = command("build", lambda _, o: lifecycle.build(Metal(o.metal)), "only build the images in the cache")
    build.add_argument("--metal", choices=list(Metal), default=Metal.NAMESPACES, help="for machines of what (default: %(default)s)")
    command("down", lambda i, _: lifecycle.down(i), "shut all hosts down; their partitions are kept")
    command("reset", lambda i, _: lifecycle.reset(i), "return every host to release 1, running and in rotation; /data is kept")
    command("sweep", lambda i, _: lifecycle.sweep_dead(i), "remove what a dead owner of this checkout's lab left")
    command("status", lambda i, _: lifecycle.status(i), "show every host")
    power = command("power", _power, "press a host's power button")
    power.add_argument("host")
    power.add_argument("power", choices=["on", "off", "cut", "reset"])
    fault = command(
        "fault", _fault, "break something: link down, rebootHang on, wrongKernel RELEASE, service web down, bmc 503; and mend it"
    )
    fault.add_argument("host")
    fault.add_argument("kind", choices=["link", "wrongKernel", "service", "health", "bmc", *Switch, *MISHAPS], metavar="KIND")
    fault.add_argument(
        "values",
        nargs="*",
        metavar="VALUE",
        help=f"up|down|slow, on|off, RELEASE|off, SERVICE up|down, OK|Warning|Critical, or {'|'.join(Fault)} and how often; "
        "none for what `faults` lists",
    )
    command("faults", lambda _i, _o: _mishaps(), "list what can befall a host, and whether a person is needed to mend it")
    traffic = command("traffic", generate, "send requests through the balancer until TERM and count what fails")
    add_traffic_arguments(traffic)
    command("observe", _observe, "watch every instance until TERM and count budget violations")
    engine = command("engine", _engine, "run COMMAND beside a container engine that has an image of the given etcd")
    engine.add_argument("--etcd", type=Path, required=True, help="the etcd program")
    engine.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    supervise = command(
        "supervise",
        lambda i, o: lifecycle.supervise(i, lifecycle.Size(o.hosts, o.rpm, Metal(o.metal)).plan(i)),
        "the daemon that `up` starts",
    )
    supervise.add_argument("--hosts", type=int, required=True)
    supervise.add_argument("--rpm", type=int, required=True)
    supervise.add_argument("--metal", choices=list(Metal), required=True)
    return parser


def _engine(instance: Instance, options: argparse.Namespace) -> None:
    sys.exit(run_beside(instance, options.etcd, options.command))


def _power(instance: Instance, options: argparse.Namespace) -> None:
    control_client.call(instance, "POST", f"/hosts/{options.host}/power", {"action": options.power})


def _fault(instance: Instance, options: argparse.Namespace) -> None:
    control_client.call(instance, "POST", f"/hosts/{options.host}/fault", _fault_of(options.kind, options.values))


def _fault_of(kind: str, values: list[str]) -> dict[str, object]:
    """What the control interface is asked for; it checks the value."""
    match kind, values:
        case _, [] if kind in MISHAPS:
            return {"kind": kind}
        case "service", [name, value]:
            return {"kind": kind, "service": name, "value": value}
        case "bmc", [value, times] if times.isdecimal():
            return {"kind": kind, "value": value, "times": int(times)}
        case _, [value] if kind in list(Switch):
            return {"kind": kind, "value": {"on": True, "off": False}.get(value, value)}
        case "wrongKernel", ["off"]:
            return {"kind": kind, "value": None}
        case _, [value]:
            return {"kind": kind, "value": value}
    raise LabError(f"{kind} takes one value, not {' '.join(values)}")


def _mishaps() -> None:
    for name, mishap in MISHAPS.items():
        family = f" ({mishap.family})" if mishap.family else ""
        say(f"{name:<22} {'recoverable' if mishap.recoverable else 'needs a person':<15} {mishap.says}{family}")


def _observe(instance: Instance, _: argparse.Namespace) -> None:
    """The observer is a program of its own that shares no code with the lab."""
    lab = instance.lab
    arguments = ["--instances", str(lab / "static.json"), "--policies", str(lab / "policies"), "--output", str(lab / "observer.json")]
    os.execv(sys.executable, [sys.executable, "-m", "drydock_observer", *arguments])  # noqa: S606
