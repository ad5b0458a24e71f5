"""The demo: ten real hosts go from release 1 to release 2 while requests are served."""

from drydock_stack.failure import StackError
from drydock_stack.instance import Instance


def run(instance: Instance) -> int:
    raise StackError(f"The demo of {instance.id} has no lab yet.")
