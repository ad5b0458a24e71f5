"""What release a host really runs, asked of the host itself over SSH and not of Drydock."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from drydock_stack.lab import Lab

SECONDS = 30
# By package family: the field of the release with its versions, and how a host tells its own.
FAMILIES = {
    "apt": ("packages", "dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\\n'"),
    "dnf": ("dnfPackages", "rpm -q --qf '%{NAME} %{EVR} installed\\n'"),
}


def upgraded(lab: Lab, release_file: Path) -> dict[str, str]:
    """For every host of the lab: an empty text if it runs all of the release, else what is different."""
    release = json.loads(release_file.read_text())
    addresses, families = lab.addresses(), lab.families()
    with ThreadPoolExecutor(max_workers=len(addresses)) as pool:
        found = pool.map(lambda host: _difference(lab, addresses[host], FAMILIES[families[host]], release), addresses)
        return dict(zip(addresses, found, strict=True))


def _difference(lab: Lab, address: str, family: tuple[str, str], release: dict[str, Any]) -> str:
    field, query = family
    packages: dict[str, str] = release[field]
    question = f"uname -r; {query} {' '.join(sorted(packages))}"
    try:
        done = subprocess.run([*ssh(lab), address, question], capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} s"
    if done.returncode != 0:
        return f"code {done.returncode}: {done.stderr.strip()}"
    kernel, *lines = done.stdout.splitlines()
    found = {name: version for name, version, status in (line.split() for line in lines) if status == "installed"}
    wrong = [f"{name} {found.get(name)} instead of {version}" for name, version in packages.items() if found.get(name) != version]
    if kernel != release["kernel"]:
        wrong.append(f"kernel {kernel} instead of {release['kernel']}")
    return ", ".join(wrong)


def ssh(lab: Lab) -> list[str]:
    access = json.loads((lab.folder / "ssh.json").read_text())
    options = {
        "BatchMode": "yes",
        "ConnectTimeout": "10",
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": access["knownHostsFile"],
        "IdentitiesOnly": "yes",
        "LogLevel": "ERROR",
    }
    settings = [part for key, value in options.items() for part in ("-o", f"{key}={value}")]
    return ["ssh", "-F", "none", "-i", access["keyFile"], "-l", access["user"], *settings]
