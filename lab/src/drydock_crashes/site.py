"""A stack of the soak's own: PostgreSQL, etcd, Temporal, the server, and a consumer of simulated hosts; each may be killed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from drydock_crashes.api import Api
from drydock_crashes.hosts import Hosts
from drydock_crashes.orders import Orders
from drydock_stack import access, command, files, identity, instance, java, ports, python_environment, stack
from drydock_stack.etcd import Etcd
from drydock_stack.failure import StackError
from drydock_stack.identity import ProcessIdentity
from drydock_stack.instance import Instance
from drydock_stack.postgres import Postgres
from drydock_stack.server import Server
from drydock_stack.service import Service
from drydock_stack.temporal import NAMESPACE, Temporal

GONE_SECONDS = 20.0
STARTS_MAX = 10


class OrderedServer(Server):
    """Of the checkout's build; what a dead consumer had is free sooner than by default."""

    checkout: Path

    def build(self) -> None:
        """It was built before."""

    def command(self) -> list[str]:
        arguments = ["--roles=all", "--config", str(self.state / "server.yaml")]
        return java.command_line(self.checkout, "server", ["-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"], arguments)

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "DRYDOCK_CRASH_AT": "ordered"}

    def configuration(self) -> dict[str, object]:
        short = {"jobLeaseSeconds": 8, "jobMarginSeconds": 3}
        # Its hosts are in the phases that are crashed, and in no other.
        return {**super().configuration(), **short, "preflight": {"openMax": 0}}


class SimulatedHosts(Service):
    """The consumer. ``twice`` plants a fault in it."""

    name = "consumer"
    checkout: Path
    twice = False

    def command(self) -> list[str]:
        python = str(python_environment.python(instance.load(self.checkout)))
        return [python, "-m", "drydock_crashes.consumer", *(["--twice"] if self.twice else [])]

    def environment(self) -> dict[str, str]:
        paths = python_environment.variables(self.checkout)
        paths["PYTHONPATH"] += os.pathsep + str(self.checkout / "tools" / "stack")
        return {**paths, "DRYDOCK_STATE_DIR": str(self.state), "DRYDOCK_URL": Server(self.instance).url}

    def is_ready(self) -> bool:
        return self.process.running() is not None


class Site:
    """All processes by name, and what is known of its hosts."""

    def __init__(self, checkout: Path, this: Instance) -> None:
        self.checkout = checkout
        self.instance = this
        self.orders = Orders(this.state)
        self.hosts = Hosts(this.state / "hosts")
        self.api = Api(Server(this).url, access.token_file(this.state, "admin"))
        self.owner = Api(Server(this).url, access.token_file(this.state, "web-team"))
        server, self.consumer = OrderedServer(this), SimulatedHosts(this)
        server.checkout = self.consumer.checkout = checkout
        self.services: Sequence[Service] = (Postgres(this), Etcd(this), Temporal(this), server, self.consumer)

    def list_hosts(self, names: Sequence[str]) -> None:
        """These are there from the consumer's next report on."""
        files.write(self.instance.state / "hosts.json", json.dumps(sorted(names)))

    def ports(self) -> dict[str, int]:
        """All of them, by what they are for."""
        return {f"{service.name}: {port}": service.port(port) for service in self.services for port in service.ports}

    def revive(self) -> None:
        """Starts what is dead, in order. What needs another one of them may have died with it."""
        for service in self.services:
            for attempt in range(1, STARTS_MAX + 1):
                if service.process.running() is not None:
                    break
                try:
                    stack.start(service)
                except StackError:
                    # On a busy machine what it needs may not answer yet; whoever watches over it tries again.
                    if attempt == STARTS_MAX:
                        raise

    def living(self, name: str) -> ProcessIdentity:
        """The process that runs under the name now."""
        running = next(service for service in self.services if service.name == name).process.running()
        if running is None:
            raise RuntimeError(f"{name} does not run")
        return running

    def kill(self, name: str) -> None:
        """kill -9, and its children end with it."""
        running = self.living(name)
        os.kill(running.pid, signal.SIGKILL)
        self.await_death(running)

    def lose_run(self, grant: str) -> None:
        """Ends the workflow of a batch behind the server's back."""
        target = next(service.target for service in self.services if isinstance(service, Temporal))
        program = [*java.virtual_machine(self.checkout, "server"), str(Path(__file__).parent / "LoseRun.java")]
        log = self.instance.state / "log" / "lose-run.log"
        command.run(f"ending the run of {grant}", [*program, target, NAMESPACE, f"drydock/batch/{grant}"], log, seconds=60)

    @staticmethod
    def await_death(process: ProcessIdentity) -> None:
        """Of just that one: another may run under its name already."""
        deadline = time.monotonic() + GONE_SECONDS
        while identity.is_alive(process):
            if time.monotonic() > deadline:
                raise RuntimeError(f"process {process.pid} does not die")
            time.sleep(0.02)

    def down(self) -> None:
        for service in reversed(self.services):
            service.process.stop(service.stop_signal, service.stop_seconds)


@contextlib.contextmanager
def site(checkout: Path, name: str) -> Iterator[Site]:
    """One that is up, with nothing in it; taken down afterwards, and its files stay to be looked at."""
    root = checkout / ".drydock" / name
    _clear(root)
    (root / "tools").mkdir(parents=True)
    for module in ("etcd", "temporal"):
        (root / "tools" / module).symlink_to(checkout / "tools" / module)
    made = Site(checkout, ports.free_instance(root, instance.load(checkout)))
    ports.require_free(made.ports())
    made.list_hosts([])
    for service in made.services:
        service.build()
    try:
        made.revive()
        yield made
    finally:
        made.down()


def _clear(root: Path) -> None:
    """What an earlier one left, a process that outlived it included."""
    for recorded in (root / ".drydock" / "run").glob("*.pid"):
        left = identity.read(recorded)
        if left and identity.is_alive(left):
            os.kill(left.pid, signal.SIGKILL)
    shutil.rmtree(root, ignore_errors=True)
