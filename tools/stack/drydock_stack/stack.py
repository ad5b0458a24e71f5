"""Bringing the stack up and down: what is dead is started, in order; what lives is left alone."""

import contextlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from drydock_stack import cache, identity, ports, sweep
from drydock_stack.consumers import Adapter, Operator, SecondAdapter, SecondOperator
from drydock_stack.etcd import Etcd
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.lab import Lab
from drydock_stack.postgres import Postgres
from drydock_stack.progress import say
from drydock_stack.server import Server
from drydock_stack.service import Service
from drydock_stack.temporal import Temporal
from drydock_stack.witnesses import Observer, Traffic

SERVICES: tuple[type[Service], ...] = (
    Postgres,
    Etcd,
    Temporal,
    Server,
    Adapter,
    SecondAdapter,
    Operator,
    SecondOperator,
    Observer,
    Traffic,
)
DEFAULT = ("postgres", "etcd", "temporal", "server")
FIRST_CONSUMER = "adapter"
ADAPTERS = (Adapter.name, SecondAdapter.name)
RESTARTED = (*DEFAULT, *ADAPTERS, Operator.name, SecondOperator.name)  # Not the witnesses: half a report is none.
NAMES = tuple(service.name for service in SERVICES)


def up(instance: Instance, only: Sequence[str] | None = None) -> None:
    """Starts what is not running of ``only`` (default: the four servers, and consumers that crashed).

    1. What a dead owner left is swept. 2. All ports are looked at before anything is started.
    3. Programs are built. 4. Each is started when the ones before it are ready.
    """
    sweep.run(instance)
    services = _chosen(instance, only)
    dead = [service for service in services if service.process.running() is None]
    ports.require_free({f"{service.name}: {port}": service.port(port) for service in dead for port in service.ports})
    server = Server(instance)
    if server.process.running() is None:  # What a server runs by is not written anew beneath it.
        server.prepare()  # Tests that start only the stores read their addresses there.
    for service in dead:
        service.build()
    for service in services:
        if service in dead:
            start(service)


def down(instance: Instance, only: Sequence[str] | None = None) -> None:
    """Stops what runs, last started first, and waits for each to be gone; the lab goes when nobody acts on its hosts any more."""
    for service in reversed(_chosen(instance, only or NAMES)):
        if service.process.stop(service.stop_signal, service.stop_seconds):
            say(f"{service.name} stopped")
        if only is None and service.name == FIRST_CONSUMER and Lab(instance).down():
            say("lab stopped")


def status(instance: Instance) -> list[tuple[str, str, str]]:
    """Name, state (ready, starting, dead, stopped) and pid with ports of every process."""
    rows = []
    for service in _all(instance):
        running = service.process.running()
        state = "dead" if service.process.crashed() else "stopped"
        if running:
            state = "ready" if service.is_ready() else "starting"
        where = " ".join(f"{port}:{service.port(port)}" for port in service.ports)
        rows.append((service.name, state, f"pid {running.pid}  {where}" if running else ""))
    return rows


def any_running(instance: Instance) -> bool:
    return any(service.process.running() for service in _all(instance))


def stop_outdated(instance: Instance) -> None:
    """Stops Java programs that run from an older build than the current one, so that ``up`` starts the new."""
    current = (instance.state / "programs" / "current").resolve()
    for service in reversed(_chosen(instance, ["server", *ADAPTERS])):
        running = service.process.running()
        if running and str(current) not in identity.command_line(running.pid):
            say(f"{service.name} runs an older build")
            service.process.stop(service.stop_signal, service.stop_seconds)


def alone(instance: Instance) -> contextlib.AbstractContextManager[None]:
    """One command at a time changes what runs in this checkout."""
    return cache.locked(instance.state / "stack.lock", "another command on this checkout's stack", seconds=900)


def clean(root: Path) -> None:
    """Removes the state folder and what Maven built; the cache shared with other checkouts stays."""
    shutil.rmtree(root / ".drydock", ignore_errors=True)
    for pom in root.glob("**/pom.xml"):
        shutil.rmtree(pom.parent / "target", ignore_errors=True)


def start(service: Service) -> None:
    """Starts a process that is built and does not run, and returns when it is ready."""
    service.prepare()
    started = service.process.start(service.command(), service.state, service.environment())
    started.wait_ready(service.is_ready, service.ready_seconds)
    service.complete()
    say(f"{service.name} is ready")


def _chosen(instance: Instance, only: Sequence[str] | None) -> list[Service]:
    unknown = sorted(set(only or ()) - set(NAMES))
    if unknown:
        raise StackError(f"There is no process {', '.join(unknown)}; the names are {', '.join(NAMES)}.", exit_code=2)
    wanted = only or DEFAULT
    return [
        service
        for service in _all(instance)
        if service.name in wanted or (not only and service.name in RESTARTED and service.process.crashed())
    ]


def _all(instance: Instance) -> list[Service]:
    return [service(instance) for service in SERVICES]
