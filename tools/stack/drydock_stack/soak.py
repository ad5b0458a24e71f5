"""The long proofs: seeded runs of `drydock_soak`, which see the stack as a folder of jars and one program, of `drydock_crashes`, and of
rollouts over the lab in whose middle something befalls each host."""

import os
from typing import NoReturn

from drydock_stack import builds, java, python_environment, setup
from drydock_stack.instance import Instance


def locks(instance: Instance, runs: int, seed: int) -> NoReturn:
    """Becomes the soak of the lock service, so that a signal to this process is one to the soak, which takes down what it started.

    Its exit code is 0 only when nothing was violated.
    """
    setup.run(instance)
    java.build(instance.root)
    command = [str(python_environment.python(instance)), "-m", "drydock_soak", "--runs", str(runs), "--seed", str(seed)]
    command += ["--etcd", str(builds.etcd(instance.root) / "etcd"), "--java", *java.virtual_machine(instance.root, "soak")]
    become(instance, command, python_environment.variables(instance.root))


def crashes(instance: Instance, runs: int, seed: int) -> NoReturn:
    """The same with the soak of crashes, which starts and kills a stack of its own by our means."""
    setup.run(instance)
    java.build(instance.root)
    command = [str(python_environment.python(instance)), "-m", "drydock_crashes", "--checkout", str(instance.root)]
    become(instance, [*command, "--runs", str(runs), "--seed", str(seed)], with_our_means(instance))


def remediation(instance: Instance, seeds: int, hosts: int, seed: int) -> NoReturn:
    """The same with the soak of remediation, over the stack and the lab of this checkout."""
    setup.run(instance)
    script = instance.root / "lab" / "e2e" / "soak_remediation.py"
    command = [str(python_environment.python(instance)), str(script)]
    command += ["--seeds", str(seeds), "--hosts", str(hosts), "--seed", str(seed)]
    become(instance, command, with_our_means(instance))


def with_our_means(instance: Instance) -> dict[str, str]:
    """Variables for a program that starts stack and lab as we do."""
    variables = python_environment.variables(instance.root)
    return {**variables, "PYTHONPATH": os.pathsep.join((variables["PYTHONPATH"], str(instance.root / "tools" / "stack")))}


def become(instance: Instance, command: list[str], variables: dict[str, str]) -> NoReturn:
    """This process is that program from now on, in the folder of the checkout."""
    environment = {**os.environ, **variables}
    os.chdir(instance.root)
    os.execve(command[0], command, environment)  # noqa: S606
