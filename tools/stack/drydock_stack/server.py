"""The one Drydock process of embedded mode: ``server --roles=all``."""

import json
import os

from drydock_stack import access, files, java
from drydock_stack.etcd import MAX_TXN_OPS, Etcd
from drydock_stack.postgres import Postgres
from drydock_stack.service import Service, http_json
from drydock_stack.temporal import NAMESPACE, Temporal

BODY_BYTES_MAX = 8 * 1024 * 1024


class Server(Service):
    """API, grantor, workflows and job board. ``DRYDOCK_CRASH_AT`` of the caller reaches it and names a crash point;
    tests that wait for leases to end make them short with ``DRYDOCK_JOB_LEASE_SECONDS``, and with
    ``DRYDOCK_PREFLIGHTS_OPEN_MAX=0`` no host is asked before it is granted; ``DRYDOCK_RECOVERY_WAIT_SECONDS`` shortens the
    wait for leases after a store was put back."""

    name = "server"
    ports = ("http",)
    ready_seconds = 120

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port('http')}"

    def build(self) -> None:
        java.build(self.instance.root)

    def prepare(self) -> None:
        access.write(self.state)
        # JSON is YAML, and it quotes what has to be quoted.
        files.write(self.state / "server.yaml", json.dumps(self.configuration(), indent=2) + "\n", 0o600)

    def command(self) -> list[str]:
        arguments = ["--roles=all", "--config", str(self.state / "server.yaml")]
        return java.command_line(self.instance.root, "server", ["-Xmx1g", "-XX:+UseSerialGC"], arguments)

    def environment(self) -> dict[str, str]:
        return {"DRYDOCK_STATE_DIR": str(self.state)}

    def is_ready(self) -> bool:
        status, _ = http_json(f"{self.url}/readyz")
        return status == 200

    def configuration(self) -> dict[str, object]:
        """What ``server.yaml`` says."""
        postgres = Postgres(self.instance)
        return {
            "http": {"host": "127.0.0.1", "port": self.port("http"), "maxBodyBytes": BODY_BYTES_MAX},
            "postgres": {
                "url": f"jdbc:postgresql://127.0.0.1:{self.port('postgres')}/drydock",
                "user": "drydock",
                "passwordFile": str(postgres.password_file("drydock")),
            },
            "etcd": {"endpoints": [Etcd(self.instance).endpoint], "maxTxnOps": MAX_TXN_OPS},
            "temporal": {"target": Temporal(self.instance).target, "namespace": NAMESPACE, "taskQueue": "drydock"},
            "tokensFile": str(access.tokens_file(self.state)),
            "stalenessSeconds": 30,
            "jobLeaseSeconds": int(os.environ.get("DRYDOCK_JOB_LEASE_SECONDS", "15")),
            "jobMarginSeconds": 5,
            "grantorLeaseSeconds": 10,
            # What is tried out on one host is tried on it again and again.
            "remediation": {"coolDownSeconds": 0},
            "preflight": {"openMax": int(os.environ.get("DRYDOCK_PREFLIGHTS_OPEN_MAX", "50"))},
            **_recovery_wait(),
        }


def _recovery_wait() -> dict[str, object]:
    """By default the longest lease that anybody may hold."""
    seconds = os.environ.get("DRYDOCK_RECOVERY_WAIT_SECONDS")
    return {"recoveryWaitSeconds": int(seconds)} if seconds else {}
