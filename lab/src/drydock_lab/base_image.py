"""The base image: a small Debian tree with what every lab host needs, taken from the machine's own package sources."""

from __future__ import annotations

import hashlib
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from drydock_lab import cache
from drydock_lab.commands import run
from drydock_lab.errors import LabError
from drydock_lab.progress import say

# One tree for hosts of both package families; each golden image keeps the tools of its own.
PACKAGES = ("openssh-server", "python3", "python3-apt", "dnf", "rpm", "iproute2", "procps", "runit")
UNWANTED = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/info/*")
SECONDS_MAX = 900
# Raised when the way the tree is made changes, so that cached trees are made anew.
RECIPE = 1


def base_image() -> Path:
    """The folder with the tree (`root`); built when the cache lacks it."""
    suite = machine_suite()
    key = hashlib.sha256(repr((RECIPE, suite, machine_architecture(), PACKAGES, UNWANTED)).encode()).hexdigest()[:12]
    return cache.entry(f"lab-base-{suite}-{key}", lambda folder: debian_tree(folder / "root", suite, PACKAGES))


def machine_suite() -> str:
    """The machine's own Debian release: its C library then fits what is compiled here."""
    fields: dict[str, str] = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', Path("/etc/os-release").read_text(), re.MULTILINE))
    if fields.get("ID") != "debian":
        raise LabError(f"the lab needs a Debian machine, this one is {fields.get('PRETTY_NAME', 'unknown')}")
    return fields["VERSION_CODENAME"]


def machine_architecture() -> str:
    return run(["dpkg", "--print-architecture"]).strip()


def machine_sources(suite: str) -> list[str]:
    """The machine's own Debian sources of this release, whatever format they are written in."""
    listing = run(["apt-get", "indextargets", "--format", "$(ORIGIN)|$(CODENAME)|$(REPO_URI)|$(COMPONENT)", "Created-By: Packages"])
    lines = []
    for row in listing.splitlines():
        origin, codename, address, component = row.split("|")
        if origin == "Debian" and component == "main" and (codename == suite or codename.startswith(f"{suite}-")):
            lines.append(f"deb {address} {codename} {component}")
    if not any(line.split()[2] == suite for line in lines):
        raise LabError(f"no package source for Debian {suite} main is known on this machine: run `apt-get update` first")
    return sorted(set(lines), key=lambda line: len(line.split()[2]))


def debian_tree(target: Path, suite: str, packages: Sequence[str], *hooks: str) -> None:
    """Makes a small tree with these packages; hooks are options of mmdebstrap."""
    began = time.monotonic()
    say(f"lab: building {target.parent.name.lstrip('.').partition('.')[0]} (Debian {suite}), once per machine")
    command = ["mmdebstrap", "--variant=minbase", "--mode=root", f"--include={','.join(packages)}", *hooks]
    command += [f"--dpkgopt=path-exclude={pattern}" for pattern in UNWANTED]
    command += ["--aptopt=APT::Install-Recommends false"]
    # Package sources can lag behind the clock of a machine that is pinned to a snapshot.
    command += [f"--aptopt={line.rstrip(';')}" for line in run(["apt-config", "dump"]).splitlines() if _matters(line)]
    command += [suite, str(target), "-"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    assert process.stdin is not None  # noqa: S101 (asked for above)
    assert process.stdout is not None  # noqa: S101
    process.stdin.write("\n".join(machine_sources(suite)) + "\n")
    process.stdin.close()
    tail: list[str] = []
    for line in process.stdout:
        tail = [*tail[-19:], line.rstrip()]
        if line.startswith("I: "):
            say(f"lab:   {line[3:].rstrip()}")
    if process.wait(SECONDS_MAX) != 0:
        raise LabError("mmdebstrap could not build the tree:\n  " + "\n  ".join(tail))
    say(f"lab: tree ready after {time.monotonic() - began:.0f} s")


def _matters(setting: str) -> bool:
    return setting.startswith(("Acquire::Check-", "Acquire::http::Proxy ", "Acquire::https::Proxy "))
