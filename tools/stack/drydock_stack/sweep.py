"""Removing what a dead owner left behind, before anything new is started."""

import contextlib

from drydock_stack import command, identity, python_environment
from drydock_stack.instance import Instance
from drydock_stack.processes import end_session
from drydock_stack.progress import say

LAB_SECONDS = 120


def pid_files(instance: Instance) -> None:
    """Pid files of an earlier boot name nobody: their processes, and all that belonged to them, are gone."""
    boot = identity.boot_id()
    for path in (instance.state / "run").glob("*.pid"):
        recorded = identity.read(path)
        if recorded is None or recorded.boot_id != boot:
            say(f"forgetting {path.stem}, which ran before the machine was started")
            path.unlink(missing_ok=True)
        elif not identity.is_alive(recorded):
            # The file stays: it says that the process crashed and is to be started again.
            end_session(recorded)


def lab(instance: Instance) -> None:
    """Namespaces, mounts and loop devices are the lab's; it knows which of them have lost their owner."""
    python = python_environment.python(instance)
    if not python.exists() or not (instance.root / "lab").is_dir() or not (instance.state / "lab").is_dir():
        return
    with contextlib.ExitStack():
        command.run(
            "sweep of the lab",
            [str(python), "-m", "drydock_lab", "sweep"],
            instance.state / "log" / "lab-sweep.log",
            seconds=LAB_SECONDS,
            environment=python_environment.variables(instance.root),
        )
