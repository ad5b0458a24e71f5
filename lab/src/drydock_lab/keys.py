"""SSH identities of the lab: a certificate authority, one client key, and a certified key per host."""

from __future__ import annotations

import shutil
from pathlib import Path

from drydock_lab import files
from drydock_lab.commands import run
from drydock_lab.instance import Instance
from drydock_lab.plan import HostPlan, LabPlan


class Keys:
    """The folder `.drydock/lab/ssh`. Keys are made once and kept for the life of the state folder."""

    def __init__(self, instance: Instance) -> None:
        self.folder = instance.lab / "ssh"
        self.authority = self.folder / "ca"
        self.client = self.folder / "id_ed25519"
        self.known_hosts = self.folder / "known_hosts"

    def ensure(self, plan: LabPlan) -> None:
        """Makes what is missing and writes the list of known hosts."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        for key, comment in ((self.authority, "lab host authority"), (self.client, "lab client")):
            _generate(key, comment)
        patterns = ",".join(f"{host.name},{host.address}" for host in plan.hosts)
        authority = Path(f"{self.authority}.pub").read_text().strip()
        files.write(self.known_hosts, f"@cert-authority {patterns} {authority}\n")

    def provision(self, host: HostPlan, folder: Path) -> None:
        """Puts the host's key, its certificate and the client's public key into the host's folder."""
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(f"{self.client}.pub", folder / "authorized_keys")
        key = folder / "ssh_host_ed25519_key"
        _generate(key, host.name)
        names = f"{host.name},{host.address}"
        certify = ["ssh-keygen", "-q", "-s", str(self.authority), "-I", host.name, "-h", "-n", names, "-V", "always:forever"]
        run([*certify, f"{key}.pub"])


def _generate(key: Path, comment: str) -> None:
    if not key.exists():
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(key)])
