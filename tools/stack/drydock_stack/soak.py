"""The long proof of the lock service: seeded runs of `drydock_soak`, which see the stack as a folder of jars and one program."""

import os
from typing import NoReturn

from drydock_stack import builds, java, python_environment, setup
from drydock_stack.instance import Instance


def run(instance: Instance, runs: int, seed: int) -> NoReturn:
    """Becomes the soak, so that a signal to this process is one to the soak, which takes down what it started.

    Its exit code is 0 only when nothing was violated.
    """
    setup.run(instance)
    java.build(instance.root)
    command = [str(python_environment.python(instance)), "-m", "drydock_soak", "--runs", str(runs), "--seed", str(seed)]
    command += ["--etcd", str(builds.etcd(instance.root) / "etcd"), "--java", *java.virtual_machine(instance.root, "soak")]
    environment = {**os.environ, **python_environment.variables(instance.root)}
    os.chdir(instance.root)
    os.execve(command[0], command, environment)  # noqa: S606
