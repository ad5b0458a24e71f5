"""The real PostgreSQL, etcd and Temporal of a second checkout: they survive kill -9, and their data survive down and up."""

import base64
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from drydock_stack import identity, instance, stack
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.service import http_json

STORES = ["postgres", "etcd", "temporal"]

pytestmark = pytest.mark.stack


@pytest.fixture
def this(checkout: Path) -> Iterator[Instance]:
    this = instance.load(checkout)
    yield this
    stack.down(this)


def _text(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def _put(this: Instance, key: str, value: str) -> None:
    status, _ = http_json(f"http://127.0.0.1:{this.port('etcd')}/v3/kv/put", {"key": _text(key), "value": _text(value)})
    assert status == 200


def _get(this: Instance, key: str) -> str:
    _, answer = http_json(f"http://127.0.0.1:{this.port('etcd')}/v3/kv/range", {"key": _text(key)})
    assert isinstance(answer, dict)
    return base64.b64decode(answer["kvs"][0]["value"]).decode()


def _temporal(this: Instance, path: str, body: object = None) -> tuple[int, object]:
    return http_json(f"http://127.0.0.1:{this.port('temporalHttp')}/api/v1/{path}", body, seconds=10)


def _start_workflow(this: Instance) -> None:
    """Its record lies in PostgreSQL; nobody works on it."""
    body = {"workflowType": {"name": "Nobody"}, "taskQueue": {"name": "nobody"}}
    status, answer = _temporal(this, "namespaces/default/workflows/kept", body)
    assert status == 200, answer


def _pids(this: Instance) -> dict[str, int]:
    recorded = {name: identity.read(this.state / "run" / f"{name}.pid") for name in STORES}
    return {name: process.pid for name, process in recorded.items() if process is not None}


def _states(this: Instance) -> dict[str, str]:
    return {name: state for name, state, _ in stack.status(this)}


def test_data_survive_kill_9_of_every_server_and_down_and_up(this: Instance) -> None:
    stack.up(this, STORES)
    _put(this, "kept", "value")
    _start_workflow(this)
    first = _pids(this)

    for pid in first.values():
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert [_states(this)[name] for name in STORES] == ["dead"] * 3
    stack.up(this, STORES)

    assert [_states(this)[name] for name in STORES] == ["ready"] * 3
    assert _get(this, "kept") == "value"
    assert _temporal(this, "namespaces/default/workflows/kept")[0] == 200

    second = _pids(this)
    stack.up(this, STORES)
    assert _pids(this) == second, "what was alive was restarted"

    os.kill(second["etcd"], signal.SIGKILL)
    os.waitpid(second["etcd"], 0)
    stack.up(this, STORES)
    third = _pids(this)
    assert third["etcd"] != second["etcd"]
    assert third["postgres"] == second["postgres"]

    stack.down(this)
    assert list((this.state / "run").iterdir()) == []
    assert [pid for pid in third.values() if identity.identity_of(pid)] == []
    stack.up(this, STORES)
    assert _get(this, "kept") == "value"
    assert _temporal(this, "namespaces/default/workflows/kept")[0] == 200


def test_nothing_is_started_when_a_port_is_taken(this: Instance) -> None:
    with socket.create_server(("127.0.0.1", this.port("temporalHistory"))), pytest.raises(StackError, match="temporalHistory"):
        stack.up(this, STORES)

    assert not (this.state / "run").exists()
    assert not (this.state / "pg").exists()


def test_postgres_and_etcd_listen_on_loopback_only_and_postgres_wants_a_password(this: Instance) -> None:
    stack.up(this, ["postgres", "etcd"])

    rules = (this.state / "pg" / "data" / "pg_hba.conf").read_text()
    active = [line.split() for line in rules.splitlines() if line and not line.startswith("#")]
    assert {line[-1] for line in active} == {"scram-sha-256"}
    for name in ("postgres", "etcd", "etcdPeer"):
        with socket.socket() as other:
            other.bind(("127.0.0.2", this.port(name)))  # Free on any other address.
