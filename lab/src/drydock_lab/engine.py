"""A container engine for tests: Debian's dockerd by hand, in a network namespace of its own, gone with the command it is for.

Its bridges, addresses and filter rules live in that namespace; the root namespace gets one link to it, over which tests
reach published ports. Images are made here from programs of the cache, so no registry is needed. State lies in the
checkout; nothing is shared with another engine of the machine, which is neither used nor noticed.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from drydock_lab import processes
from drydock_lab.commands import run
from drydock_lab.errors import LabError
from drydock_lab.instance import Instance
from drydock_lab.network import batch, sysctl
from drydock_lab.sweep import sweep_namespaces
from drydock_lab.waiting import wait_until

ETCD_IMAGE = "drydock-etcd:test"
START_SECONDS = 60.0
COMMAND_SECONDS = 1800.0
PROGRAMS = ("dockerd", "docker", "iptables")


def run_beside(instance: Instance, etcd: Path, command: Sequence[str]) -> int:
    """Runs a command with an engine up, and returns its exit code. Where no engine can be had it runs without, and its tests skip."""
    with contextlib.ExitStack() as up:
        try:
            environment = up.enter_context(engine(instance))
            _import(environment, etcd, ETCD_IMAGE)
        except LabError as problem:
            sys.stderr.write(f"no container engine: {problem}\n")
            environment = {}
        child = subprocess.Popen(list(command), env={**os.environ, **environment})
        try:
            return child.wait(COMMAND_SECONDS)
        finally:
            child.kill()


@contextlib.contextmanager
def engine(instance: Instance) -> Iterator[dict[str, str]]:
    """The engine, and the variables by which clients and Testcontainers find it."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        raise LabError(f"it needs {', '.join(missing)}; install the Debian packages of lab/container-packages.txt")
    state = instance.state / "engine"
    socket = state / "docker.sock"
    _end(instance)
    state.mkdir(parents=True)
    _create_network(instance)
    try:
        pid = _start(instance, state, socket)
        environment = {
            "DOCKER_HOST": f"unix://{socket}",
            "DRYDOCK_ETCD_IMAGE": ETCD_IMAGE,
            "TESTCONTAINERS_HOST_OVERRIDE": _address(instance),  # It would pull an image to find out.
            "TESTCONTAINERS_RYUK_DISABLED": "true",  # Whatever is left goes with the engine.
        }
        wait_until(lambda: _answers(pid, environment), START_SECONDS, f"the container engine (see {instance.log_file('engine')})")
        # dockerd sets it to DROP, which would stop what comes over the link.
        run(["ip", "netns", "exec", _namespace(instance), "iptables", "-P", "FORWARD", "ACCEPT"])
        yield environment
    finally:
        _end(instance)


def _namespace(instance: Instance) -> str:
    return f"dk{instance.id}-engine"


def _address(instance: Instance) -> str:
    return f"{instance.subnet}.249"


def _create_network(instance: Instance) -> None:
    namespace, link = _namespace(instance), f"dk{instance.id}"
    run(["ip", "netns", "add", namespace])
    sysctl(namespace, "net/ipv4/ip_forward", "1")
    run(["ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace])
    batch(namespace, "link set lo up", f"addr add {_address(instance)}/30 dev eth0", "link set eth0 up")
    batch(None, f"addr add {instance.subnet}.250/30 dev {link}", f"link set {link} up")
    batch(namespace, f"route add default via {instance.subnet}.250")  # dockerd wants one; it leads no further.


def _start(instance: Instance, state: Path, socket: Path) -> int:
    # Not `ip netns exec`: that hides the control groups.
    command = ["nsenter", f"--net=/run/netns/{_namespace(instance)}", "dockerd", f"--host=unix://{socket}"]
    command += [f"--data-root={state / 'data'}", f"--exec-root={state / 'exec'}", f"--pidfile={state / 'dockerd.pid'}"]
    (state / "dockerd.pid").unlink(missing_ok=True)
    log = instance.log_file("engine")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as stream:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True)
    processes.write_pid_file(instance.pid_file("engine"), child.pid)
    return child.pid


def _answers(pid: int, environment: dict[str, str]) -> bool:
    if processes.identity(pid) is None:
        raise LabError("dockerd ended while starting")
    try:
        run(["docker", "version"], environment={**os.environ, **environment})
    except LabError:
        return False
    return True


def _import(environment: dict[str, str], program: Path, image: str) -> None:
    """An image that holds one static program and nothing else."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as files:
        files.add(program, program.name)
    command = ["docker", "import", "--change", f'ENTRYPOINT ["/{program.name}"]', "-", image]
    done = subprocess.run(
        command, input=packed.getvalue(), env={**os.environ, **environment}, capture_output=True, timeout=120, check=False
    )
    if done.returncode != 0:
        raise LabError(f"the image of {program} could not be made: {done.stderr.decode().strip()}")


def _end(instance: Instance) -> None:
    """Containers first, while there is an engine to end them; then the engine, what it left, and its network."""
    state = instance.state / "engine"
    if processes.living(instance.pid_file("engine")):
        environment = {**os.environ, "DOCKER_HOST": f"unix://{state / 'docker.sock'}"}
        containers = run(["docker", "ps", "-aq"], check=False, environment=environment).split()
        if containers:
            run(["docker", "rm", "-fv", *containers], check=False, environment=environment)
    processes.stop(instance.pid_file("engine"), 30)
    for process in _left(state):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    sweep_namespaces(f"dk{instance.id}-")
    run(["ip", "link", "del", f"dk{instance.id}"], check=False)
    for mount in [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if f" {state}/" in line]:
        run(["umount", "--lazy", mount], check=False)
    shutil.rmtree(state, ignore_errors=True)


def _left(state: Path) -> list[int]:
    """Processes of a dead engine: containerd and its shims carry the state folder on their command lines."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if f"{state}/" in entry.read_text(errors="replace"):
                found.append(int(entry.parts[2]))
    return found
