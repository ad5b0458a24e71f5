"""What makes this checkout different from another on the same machine: id, ports and subnet."""

import dataclasses
import hashlib
import json
import os
import re
from pathlib import Path

from drydock_stack import files
from drydock_stack.failure import StackError

PORT_OFFSETS = {
    "http": 0,
    "postgres": 1,
    "etcd": 2,
    "etcdPeer": 3,
    "temporal": 4,
    "temporalHttp": 5,
    "temporalMembership": 6,
    "temporalHistory": 7,
    "temporalHistoryMembership": 8,
    "temporalMatching": 9,
    "temporalMatchingMembership": 10,
    "temporalWorker": 11,
    "temporalWorkerMembership": 12,
    "temporalMetrics": 13,
    "adapterMetrics": 14,
    "operatorMetrics": 15,
    "adapter2Metrics": 16,
    "operator2Metrics": 17,
    "balancerStats": 20,
    "labControl": 21,
    "balancer": 22,
}
PORTS_PER_CHECKOUT = 50
_ID = re.compile(r"[0-9a-z]{1,5}")


@dataclasses.dataclass(frozen=True)
class Instance:
    """The identity of one checkout. All its names, ports and addresses derive from ``id``."""

    id: str
    root: Path
    port_base: int
    subnet: str

    @property
    def state(self) -> Path:
        """Everything this checkout keeps at run time."""
        return self.root / ".drydock"

    def port(self, name: str) -> int:
        return self.port_base + PORT_OFFSETS[name]

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "stateDir": str(self.state),
            "portBase": self.port_base,
            "ports": {name: self.port(name) for name in PORT_OFFSETS},
            "subnet": self.subnet,
        }


def derive(root: Path, chosen_id: str | None = None) -> Instance:
    """The id is the first five hex digits of the checkout's real path, unless one was chosen; the rest follows from it.

    Ports end below 32768, where the kernel starts to hand out ports to clients.
    """
    root = root.resolve()
    name = chosen_id or hashlib.sha256(str(root).encode()).hexdigest()[:5]
    if not _ID.fullmatch(name):
        raise StackError(f"DRYDOCK_ID is {name!r}; it must be 1 to 5 of the characters 0-9 and a-z.", exit_code=2)
    number = int(hashlib.sha256(name.encode()).hexdigest()[:12], 16)
    port_base = 10000 + (number % 440) * PORTS_PER_CHECKOUT
    subnet = f"10.{64 + number // 256 % 64}.{number % 256}"
    return Instance(name, root, port_base, subnet)


def load(root: Path) -> Instance:
    """Reads ``.drydock/instance.json`` and writes it when it is missing, was copied from elsewhere, or another id is asked for."""
    stored = _stored_id(root.resolve())
    asked_for = os.environ.pop("DRYDOCK_ID", None)  # For this checkout, which keeps it; not for one beside it as well.
    instance = derive(root, asked_for or stored)
    if stored and stored != instance.id:
        running = sorted(path.stem for path in (instance.state / "run").glob("*.pid"))
        if running:
            raise StackError(
                f"This checkout runs as {stored} ({', '.join(running)}) and DRYDOCK_ID asks for {instance.id}: "
                f"run `DRYDOCK_ID={stored} make down` first.",
                exit_code=2,
            )
    keep(instance)
    return instance


def keep(instance: Instance) -> None:
    """From now on its checkout is this one."""
    files.write_if_changed(instance.state / "instance.json", json.dumps(instance.to_json(), indent=2) + "\n")


def _stored_id(root: Path) -> str | None:
    path = root / ".drydock" / "instance.json"
    try:
        stored = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
    # A copied checkout carries the id of the original, which may be running.
    return str(stored["id"]) if stored.get("stateDir") == str(root / ".drydock") else None
