"""Temporal server 1.32.1, all its services in one process, on the stack's PostgreSQL."""

import json
import time
from pathlib import Path

from drydock_stack import builds, command, files
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.postgres import Postgres
from drydock_stack.progress import say
from drydock_stack.service import Service, http_json

NAMESPACE = "default"
NAMESPACE_SECONDS = 60
RETENTION = "259200s"
SHARDS = 16  # Fixed for the life of the data.
SCHEMAS = {"temporal": "postgresql/v12/temporal", "temporal_visibility": "postgresql/v12/visibility"}
MEMBERSHIP = {
    "frontend": ("temporal", "temporalMembership"),
    "history": ("temporalHistory", "temporalHistoryMembership"),
    "matching": ("temporalMatching", "temporalMatchingMembership"),
    "worker": ("temporalWorker", "temporalWorkerMembership"),
}
LIMITS = {
    "frontend.rps": 20000,
    "frontend.namespaceRPS": 20000,
    "frontend.namespaceRPS.visibility": 100,
    "history.rps": 20000,
    "matching.rps": 20000,
    "frontend.persistenceMaxQPS": 50000,
    "history.persistenceMaxQPS": 50000,
    "matching.persistenceMaxQPS": 50000,
}


class Temporal(Service):
    """The workflow server: it knows what happens next, and nothing that could not be found again in PostgreSQL."""

    name = "temporal"
    ports = (*(name for pair in MEMBERSHIP.values() for name in pair), "temporalHttp", "temporalMetrics")
    stop_seconds = 5  # It may take 15 s to leave a cluster of one; its data are safe at any moment.

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance)
        self._postgres = Postgres(instance)

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port('temporal')}"

    def build(self) -> None:
        builds.temporal(self.instance.root)

    def prepare(self) -> None:
        self._update_schema()
        limits = {key: [{"value": value}] for key, value in LIMITS.items()}
        # JSON is YAML, and it quotes what has to be quoted.
        files.write(self._folder / "limits.yaml", json.dumps(limits, indent=1) + "\n")
        files.write(self._folder / "server.yaml", json.dumps(self._configuration(), indent=1) + "\n", 0o600)

    def command(self) -> list[str]:
        program = str(builds.temporal(self.instance.root) / "temporal-server")
        return [program, f"--config-file={self._folder / 'server.yaml'}", "--allow-no-auth", "start"]

    def is_ready(self) -> bool:
        status, _ = http_json(self._url("system-info"))
        return status == 200

    def complete(self) -> None:
        """Creates the namespace and waits until it can be used; the server's caches see a new one only after a while."""
        deadline = time.monotonic() + NAMESPACE_SECONDS
        status: int = 0
        answer: object = None
        while time.monotonic() < deadline:
            status, answer = http_json(self._url(f"namespaces/{NAMESPACE}/workflows?pageSize=1"), seconds=5)
            if status == 200:
                return
            if http_json(self._url(f"namespaces/{NAMESPACE}"))[0] == 404:
                request = {"namespace": NAMESPACE, "workflowExecutionRetentionPeriod": RETENTION}
                status, answer = http_json(self._url("namespaces"), request, seconds=10)
            time.sleep(0.2)
        raise StackError(f"Temporal's namespace {NAMESPACE} could not be used within {NAMESPACE_SECONDS} s: {status} {answer}")

    @property
    def _folder(self) -> Path:
        return self.state / "temporal"

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port('temporalHttp')}/api/v1/{path}"

    def _update_schema(self) -> None:
        """Brings both databases to the schema this server wants. The marker lies beside the data it speaks of."""
        binaries = builds.temporal(self.instance.root)
        marker = self._postgres.folder / "temporal-schema"
        if marker.exists() and marker.read_text() == binaries.name:
            return
        say("bringing Temporal's databases up to date")
        log = self.state / "log" / "temporal-schema.log"
        password = {"SQL_PASSWORD": self._postgres.password_file("temporal").read_text()}
        for database, schema in SCHEMAS.items():
            tool = [str(binaries / "temporal-sql-tool"), "--plugin=postgres12_pgx", "--ep=127.0.0.1"]
            tool += [f"--port={self.port('postgres')}", "--user=temporal", f"--db={database}"]
            for step in (["setup-schema", "--version=0.0"], ["update-schema", f"--schema-name={schema}"]):
                command.run(f"Temporal's {step[0]} of {database}", [*tool, *step], log, seconds=120, environment=password)
        files.write(marker, binaries.name)

    def _configuration(self) -> dict[str, object]:
        services = {}
        for service, (port, membership) in MEMBERSHIP.items():
            rpc = {"grpcPort": self.port(port), "membershipPort": self.port(membership), "bindOnLocalHost": True}
            services[service] = {"rpc": rpc}
        services["frontend"]["rpc"]["httpPort"] = self.port("temporalHttp")
        cluster = {"enabled": True, "initialFailoverVersion": 1, "rpcName": "frontend", "rpcAddress": self.target}
        return {
            "log": {"stdout": True, "level": "warn"},
            "persistence": {
                "defaultStore": "default",
                "visibilityStore": "visibility",
                "numHistoryShards": SHARDS,
                "datastores": {"default": self._store("temporal", 30), "visibility": self._store("temporal_visibility", 10)},
            },
            "global": {
                "membership": {"maxJoinDuration": "30s", "broadcastAddress": "127.0.0.1"},
                "metrics": {"prometheus": {"timerType": "histogram", "listenAddress": f"127.0.0.1:{self.port('temporalMetrics')}"}},
            },
            "services": services,
            "clusterMetadata": {
                "enableGlobalNamespace": False,
                "failoverVersionIncrement": 10,
                "masterClusterName": "active",
                "currentClusterName": "active",
                "clusterInformation": {"active": cluster},
            },
            "dcRedirectionPolicy": {"policy": "noop"},
            "publicClient": {"hostPort": self.target},
            "dynamicConfigClient": {"filepath": str(self._folder / "limits.yaml"), "pollInterval": "10s"},
        }

    def _store(self, database: str, connections: int) -> dict[str, object]:
        return {
            "sql": {
                "pluginName": "postgres12_pgx",
                "databaseName": database,
                "connectAddr": f"127.0.0.1:{self.port('postgres')}",
                "connectProtocol": "tcp",
                "user": "temporal",
                "password": self._postgres.password_file("temporal").read_text(),
                "maxConns": connections,
                "maxIdleConns": connections,
                "maxConnLifetime": "1h",
            }
        }
