"""Measurements over whole stacks and labs."""

from typing import NoReturn

from drydock_stack import java, python_environment, second_checkout, setup, soak
from drydock_stack.instance import Instance, load


def staging(instance: Instance, hosts: int, rounds: int) -> NoReturn:
    """Becomes the bench of staging, in a second checkout: its lab has another size, and its server is stopped again and again."""
    setup.run(instance)
    java.build(instance.root)
    there = load(second_checkout.checkout(instance.root, "staging"))
    command = [str(python_environment.python(there)), str(there.root / "lab" / "e2e" / "bench_staging.py")]
    soak.become(there, [*command, "--hosts", str(hosts), "--rounds", str(rounds)], soak.with_our_means(there))
