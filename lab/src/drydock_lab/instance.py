"""The identity of this checkout: every port, address and name of the lab is derived from it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from drydock_lab.errors import LabError

BALANCER_FRONT_ENDS_MAX = 8


@dataclass(frozen=True)
class Instance:
    """What `.drydock/instance.json` says, and the names that follow from it."""

    id: str
    state: Path
    ports: dict[str, int]
    subnet: str

    @property
    def lab(self) -> Path:
        """Everything the lab keeps: partitions, keys, reports."""
        return self.state / "lab"

    @property
    def control_port(self) -> int:
        return self.ports["labControl"]

    @property
    def namespace_prefix(self) -> str:
        return f"dd{self.id}-"

    @property
    def interface_prefix(self) -> str:
        return f"dd{self.id}"

    @property
    def package_server(self) -> str:
        return f"{self.subnet}.1:8080"

    def address(self, index: int) -> str:
        """Address of the host with this number (1-based)."""
        return f"{self.subnet}.{10 + index}"

    def bmc_address(self, index: int) -> str:
        """Address of the BMC of the host with this number."""
        return f"{self.subnet}.{60 + index}"

    def pid_file(self, name: str) -> Path:
        return self.state / "run" / f"{name}.pid"

    def log_file(self, name: str) -> Path:
        return self.state / "log" / f"{name}.log"


def default_path() -> Path:
    """`DRYDOCK_INSTANCE` when set, else the file of the checkout this package lies in."""
    override = os.environ.get("DRYDOCK_INSTANCE")
    if override:
        return Path(override)
    return Path(__file__).resolve().parents[3] / ".drydock" / "instance.json"


def load(path: Path | None = None) -> Instance:
    """Reads the instance file; a missing or incomplete one is an error that says what to do."""
    source = path or default_path()
    try:
        document = json.loads(source.read_text())
        instance = Instance(
            id=document["id"],
            state=Path(document["stateDir"]),
            ports={name: int(port) for name, port in document["ports"].items()},
            subnet=document["subnet"],
        )
        missing = [name for name in ("balancerStats", "labControl", "balancer") if name not in instance.ports]
    except FileNotFoundError:
        raise LabError(f"{source} does not exist: run `python3 tools/stack instance` first") from None
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise LabError(f"{source} is not a valid instance file ({problem!r}): delete it and run `tools/stack instance`") from problem
    if missing:
        raise LabError(f"{source} lacks the ports {', '.join(missing)}: delete it and run `tools/stack instance`")
    if len(instance.id) > 6:
        raise LabError(f"{source}: id {instance.id!r} is longer than 6 characters, interface names would not fit")
    return instance
