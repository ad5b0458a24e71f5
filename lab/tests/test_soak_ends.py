"""However a soak is ended, none of its processes and namespaces stay; of somebody else's it ends nothing."""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drydock_lab.commands import run
from drydock_lab.waiting import wait_until
from drydock_soak.ending import Ended, Ending
from drydock_soak.topology import Topology
from drydock_stack import builds, instance, java, python_environment

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180.0  # Beside the runs of other soaks.

Start = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def topology(tmp_path: Path) -> Iterator[Topology]:
    """Of a checkout of its own, so that a soak of this one may run beside."""
    found = Topology(hashlib.sha256(str(tmp_path).encode()).hexdigest()[:5])
    yield found
    found.remove(tmp_path)


@pytest.fixture
def start(tmp_path: Path, topology: Topology) -> Iterator[Start]:
    """Starts a soak that goes on until it is ended."""
    ports = {"balancerStats": 1, "labControl": 2, "balancer": 3}
    document = {"id": topology.id, "stateDir": str(tmp_path), "ports": ports, "subnet": "10.1.1"}
    (tmp_path / "instance.json").write_text(json.dumps(document))
    java.build(ROOT)
    command = [sys.executable, "-m", "drydock_soak", "--short", "--etcd", str(builds.etcd(ROOT) / "etcd"), "--java"]
    command += java.virtual_machine(ROOT, "soak")
    environment = {**os.environ, **python_environment.variables(ROOT), "DRYDOCK_INSTANCE": str(tmp_path / "instance.json")}
    assert instance.load(ROOT).id != topology.id
    with contextlib.ExitStack() as started:

        def begin() -> subprocess.Popen[str]:
            return started.enter_context(_ended(subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)))

        yield begin


@contextlib.contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    with process:
        yield process
        process.kill()


def left(topology: Topology) -> dict[str, set[str]]:
    """The namespaces there are, and the processes of each."""
    names = [topology.hub, *(topology.namespace(number) for number in topology.numbers)]
    there = {line.split()[0] for line in run(["ip", "netns", "list"]).splitlines() if line.strip()}
    return {name: set(run(["ip", "netns", "pids", name], check=False).split()) for name in names if name in there}


def await_faults(folder: Path, topology: Topology) -> None:
    """Returns in the middle of a run: its clients act on hosts, and its members are there."""
    histories = folder / "soak" / "seed-1"
    wait_until(lambda: any(b'"held"' in path.read_bytes() for path in histories.glob("*.jsonl")), SECONDS, "a client that holds")
    assert len(left(topology)) == 4 and all(left(topology).values())


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_soak_alone_ends_all_of_it(start: Start, topology: Topology, tmp_path: Path, number: signal.Signals) -> None:
    soak = start()
    await_faults(tmp_path, topology)
    soak.send_signal(number)
    assert soak.wait(SECONDS) == 128 + number
    assert left(topology) == {}


@pytest.mark.soak
def test_what_a_killed_soak_left_goes_at_the_next_start_and_nothing_else(start: Start, topology: Topology, tmp_path: Path) -> None:
    soak = start()
    await_faults(tmp_path, topology)
    soak.kill()
    soak.wait(SECONDS)
    members = [topology.namespace(number) for number in topology.numbers]
    before = left(topology)
    assert all(before[name] for name in members), "the control: they outlive it"
    somebody = ["ip", "netns", "exec", topology.hub, "sleep", "1000"]
    with subprocess.Popen(somebody) as other:
        wait_until(lambda: str(other.pid) in left(topology)[topology.hub], SECONDS, "another process in there")
        refused = start()
        assert refused.communicate(timeout=SECONDS)[1].startswith(f"soak: process {other.pid} in the namespace {topology.hub}")
        assert refused.returncode == 1 and other.poll() is None
        other.kill()
    again = start()
    wait_until(lambda: all(left(topology).get(name, set()) - before[name] for name in members), SECONDS, "new members")
    assert not any(left(topology)[name] & before[name] for name in members)
    again.terminate()
    assert again.wait(SECONDS) == 128 + signal.SIGTERM
    assert left(topology) == {}


def test_a_signal_is_raised_once_and_waits_while_something_is_taken_down() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ending = Ending()
    ending.listen()
    try:
        ending.hold()
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Ended, match="SIGTERM"):
            ending.release()
        signal.raise_signal(signal.SIGINT)  # It cleans up by now.
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
