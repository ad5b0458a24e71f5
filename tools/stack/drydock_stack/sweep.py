"""Removing what a dead owner left behind, before anything new is started."""

from drydock_stack import identity
from drydock_stack.instance import Instance
from drydock_stack.lab import Lab
from drydock_stack.processes import end_session
from drydock_stack.progress import say


def run(instance: Instance) -> None:
    """Namespaces, mounts and loop devices are the lab's: it knows which of them have lost their owner."""
    Lab(instance).sweep()
    boot = identity.boot_id()
    for path in (instance.state / "run").glob("*.pid"):
        recorded = identity.read(path)
        if recorded is None or recorded.boot_id != boot:
            say(f"forgetting {path.stem}, which ran before the machine was started")
            path.unlink(missing_ok=True)
        elif not identity.is_alive(recorded):
            # The file stays: it says that the process crashed and is to be started again.
            end_session(recorded)
