"""etcd 3.6, one member, loopback, every write synced to disk: it owns who may touch which host."""

from pathlib import Path

from drydock_stack import builds
from drydock_stack.service import Service, http_json

MAX_TXN_OPS = 4096


class Etcd(Service):
    """The lock store. It compacts nothing by itself: the history must be read before it may go."""

    name = "etcd"
    ports = ("etcd", "etcdPeer")

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port('etcd')}"

    def build(self) -> None:
        builds.etcd(self.instance.root)

    def prepare(self) -> None:
        self._data.mkdir(parents=True, exist_ok=True)
        self._data.chmod(0o700)

    def command(self) -> list[str]:
        peer = f"http://127.0.0.1:{self.port('etcdPeer')}"
        return [
            str(builds.etcd(self.instance.root) / "etcd"),
            "--name=drydock",
            f"--data-dir={self._data}",
            f"--listen-client-urls={self.endpoint}",
            f"--advertise-client-urls={self.endpoint}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=drydock={peer}",
            f"--max-txn-ops={MAX_TXN_OPS}",
            "--log-level=warn",
        ]

    def is_ready(self) -> bool:
        status, answer = http_json(f"{self.endpoint}/health")
        return status == 200 and isinstance(answer, dict) and answer.get("health") == "true"

    @property
    def _data(self) -> Path:
        return self.state / "etcd"
