"""The lab as the stack uses it: by its own commands and its control interface, never by its code."""

import dataclasses
import json
from pathlib import Path

from drydock_stack import command, identity, python_environment
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.service import http_json

UP_SECONDS = 1800  # The first time it builds the images of the hosts.
DOWN_SECONDS = 240


@dataclasses.dataclass(frozen=True)
class Machines:
    """What a lab has: how many hosts, how many of them with rpm and dnf, and what they are made of."""

    hosts: int = 10
    rpm: int = 3
    metal: str = "namespaces"


class Lab:
    """``.drydock/lab`` is its folder, ``run/lab.pid`` its daemon."""

    def __init__(self, instance: Instance, machines: Machines | None = None) -> None:
        self.instance = instance
        self.machines = machines or Machines()
        self.folder = instance.state / "lab"

    def is_running(self) -> bool:
        recorded = identity.read(self._pid_file)
        return recorded is not None and identity.is_alive(recorded)

    def up(self) -> None:
        wanted = self.machines
        self._run("up", UP_SECONDS, "--hosts", str(wanted.hosts), "--rpm", str(wanted.rpm), "--metal", wanted.metal)

    def reset(self) -> None:
        """Every host back on release 1, running and in rotation."""
        self._run("reset", DOWN_SECONDS)

    def down(self) -> bool:
        """Also removes what a dead daemon left. False when there was nothing to do."""
        if not self._pid_file.exists():
            return False
        self._run("down", DOWN_SECONDS)
        return True

    def sweep(self) -> None:
        """Removes what a dead daemon left; a living one is not touched."""
        if self._pid_file.exists() and not self.is_running():
            self._run("sweep", DOWN_SECONDS)

    def hosts(self) -> list[str]:
        lines = (line.partition("#")[0].strip() for line in (self.folder / "hosts.txt").read_text().splitlines())
        return [line for line in lines if line]

    def addresses(self) -> dict[str, str]:
        document = json.loads((self.folder / "static.json").read_text())
        return {host["name"]: host["address"] for host in document["hosts"]}

    def families(self) -> dict[str, str]:
        """What installs the packages of each host, by the label its scheduler gives it."""
        document = json.loads((self.folder / "static.json").read_text())
        return {host["name"]: host["labels"].get("os-family", "apt") for host in document["hosts"]}

    def service(self, host: str, name: str, state: str) -> None:
        """Starts or stops one application of one host behind everybody's back."""
        url = f"http://127.0.0.1:{self.instance.port('labControl')}/hosts/{host}/fault"
        status, answer = http_json(url, {"kind": "service", "service": name, "value": state}, seconds=30)
        if status != 200:
            raise StackError(f"The lab did not bring {name} of {host} {state}: {status} {answer}")

    @property
    def _pid_file(self) -> Path:
        return self.instance.state / "run" / "lab.pid"

    def _run(self, action: str, seconds: float, *arguments: str) -> None:
        here = self.instance.state / "instance.json"
        command.run(
            f"lab {action}",
            [str(python_environment.python(self.instance)), "-m", "drydock_lab", "--instance", str(here), action, *arguments],
            self.instance.state / "log" / f"lab-{action}.log",
            seconds=seconds,
            environment=python_environment.variables(self.instance.root),
        )
