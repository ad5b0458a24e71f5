"""Is this a machine we can set up? Only looks; changes nothing."""

import dataclasses
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from drydock_stack import toolchain
from drydock_stack.failure import StackError

PACKAGE_LISTS = ("tools/apt-packages.txt", "lab/apt-packages.txt", "web-ui/apt-packages.txt")
ARCHITECTURES = ("x86_64", "aarch64")
DISK_BYTES = 6 * 1024**3


@dataclasses.dataclass(frozen=True)
class Machine:
    """What set-up must know of a machine, as plain values, so that a test can describe any other."""

    system: str
    distributions: tuple[str, ...]
    architecture: str
    user_id: int
    disk_free: int


def this_machine(root: Path) -> Machine:
    release: dict[str, str] = {}
    if Path("/etc/os-release").exists():
        release = platform.freedesktop_os_release()
    disk = os.statvfs(root)
    # DRYDOCK_AS_IF lets a test, or a person on a fine machine, see what another would be told: "fedora", "user".
    pretended = set(os.environ.get("DRYDOCK_AS_IF", "").split(",")) - {""}
    distributions = (release.get("ID", "unknown"), *release.get("ID_LIKE", "").split())
    if pretended - {"user"}:
        distributions = tuple(sorted(pretended - {"user"}))
    user_id = 1000 if "user" in pretended else os.geteuid()
    return Machine(platform.system(), distributions, platform.machine(), user_id, disk.f_bavail * disk.f_frsize)


def unmet(machine: Machine) -> list[str]:
    """What this machine lacks that set-up cannot give it, one sentence each."""
    problems = []
    if machine.system != "Linux" or "debian" not in machine.distributions:
        problems.append(
            f"Debian 12 or newer is needed (this is {machine.system}, {machine.distributions[0]}): set-up installs Debian packages."
        )
    if machine.architecture not in ARCHITECTURES:
        problems.append(f"An x86_64 or aarch64 processor is needed (this is {machine.architecture}).")
    if machine.user_id != 0:
        problems.append("root is needed: the lab makes network namespaces, mounts and chroots.")
    if machine.disk_free < DISK_BYTES:
        problems.append(f"{DISK_BYTES // 1024**3} GB of free disk are needed (there are {machine.disk_free / 1024**3:.1f}).")
    return problems


def missing_tools(packages: list[str]) -> list[str]:
    """Compilers that are missing or too old, except what the given packages will bring."""
    problems = []
    for name, find in (("", toolchain.java_home), ("", toolchain.go), ("maven", toolchain.maven), ("nodejs", toolchain.node)):
        try:
            find()
        except StackError as missing:
            if name not in packages:
                problems.append(str(missing))
    return problems


def wanted_packages(root: Path) -> list[str]:
    """The Debian packages of tools and lab."""
    found: set[str] = set()
    for name in PACKAGE_LISTS:
        path = root / name
        if path.exists():
            found.update(packages_of(path))
    return sorted(found)


def packages_of(path: Path) -> list[str]:
    """The packages a list names, one on a line, ``#`` begins a comment."""
    lines = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def node_packages() -> list[str]:
    """Debian's own Node, where there is none yet and Debian's is new enough."""
    if shutil.which("node"):
        return []
    policy = subprocess.run(["apt-cache", "policy", "nodejs"], capture_output=True, text=True, timeout=60, check=False).stdout
    candidate = re.search(r"Candidate: (\d+)\.(\d+)", policy)
    new_enough = candidate is not None and tuple(map(int, candidate.groups())) >= toolchain.NODE_AT_LEAST
    return ["nodejs", "npm"] if new_enough else []


def missing_packages(wanted: list[str]) -> list[str]:
    query = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *wanted], capture_output=True, text=True, timeout=60, check=False
    )
    installed = {line.split()[0] for line in query.stdout.splitlines() if line.endswith(" installed")}
    return [package for package in wanted if package not in installed]


def require(root: Path) -> list[str]:
    """The packages to install; or a refusal that names everything at once, before anything was changed."""
    machine = this_machine(root)
    problems = unmet(machine)
    packages = [] if problems else missing_packages([*wanted_packages(root), *node_packages()])
    problems += missing_tools(packages)
    if problems:
        raise StackError(
            "Drydock's demo and tests cannot run on this machine; nothing was changed.\n"
            + "\n".join(f"- {problem}" for problem in problems),
            exit_code=2,
        )
    return packages
