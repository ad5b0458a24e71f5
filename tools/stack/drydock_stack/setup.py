"""Making a Debian machine ready: packages, Python environment, built servers. Safe to repeat; quick when nothing is missing."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from drydock_stack import builds, cache, command, preflight, python_environment, toolchain
from drydock_stack.instance import Instance
from drydock_stack.progress import say

POLICY = Path("/usr/sbin/policy-rc.d")
POLICY_TEXT = "#!/bin/sh\n# Written by the set-up of Drydock for the time of one installation.\nexit 101\n"
QUIET_APT = {"DEBIAN_FRONTEND": "noninteractive", "DEBCONF_NOWARNINGS": "yes"}


def run(instance: Instance) -> None:
    """What ``up``, the lab and the tests need beside our own programs; refuses, changing nothing, on a machine that cannot have it."""
    packages = preflight.require(instance.root)
    if packages:
        install(instance, packages)
    python_environment.ensure(instance)
    node_packages(instance)
    builds.postgres()
    builds.etcd(instance.root)
    builds.temporal(instance.root)


def install(instance: Instance, packages: list[str]) -> None:
    say(f"installing Debian packages: {' '.join(packages)}")
    log = instance.state / "log"
    with cache.locked(cache.folder() / "apt.lock", "another installation of packages"), _services_not_started():
        command.run("apt-get update", ["apt-get", "update", "-q"], log / "apt-update.log", seconds=600, environment=QUIET_APT)
        install_them = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", *packages]
        command.run("apt-get install", install_them, log / "apt-install.log", seconds=1200, environment=QUIET_APT)


def node_packages(instance: Instance) -> None:
    """What package-lock.json of the console pins; returns at once when it is there."""
    program = [toolchain.node(), str(instance.root / "web-ui" / "build" / "install.mjs")]
    command.run("npm ci", program, instance.state / "log" / "npm.log", seconds=900)


@contextlib.contextmanager
def _services_not_started() -> Iterator[None]:
    """We want the programs (a balancer, say), not the services of the machine their packages would start."""
    if POLICY.exists() and POLICY.read_text() != POLICY_TEXT:
        yield
        return
    POLICY.write_text(POLICY_TEXT)  # Also when a killed set-up left it there: it is removed below.
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)
