"""A host with dnf, without its network: the base image of lab hosts, in which everything a test writes is gone with it."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path

from drydock_lab.base_image import base_image
from drydock_remediation.bundle import ALONE
from drydock_remediation.channel_on_host import Order
from drydock_remediation.dnf import Dnf
from drydock_remediation.family import Plan

from .lab_hosts import rpm

WANTED = {"fleet-agent": "2.0-1", "fleet-os": "2.0-1"}
UNDER = "/root/test"


class Host:
    """`root` is where a test writes on this machine; the host has it as UNDER. What the host itself writes lies in `upper`."""

    def __init__(self, root: Path) -> None:
        self.root, self.upper = root, root / "layers" / "upper"
        for name in ("channel", "before", "layers/upper", "layers/work", "layers/whole"):
            (root / name).mkdir(parents=True)
        self.order = Order(f"file://{UNDER}/channel", downgrade=False, packages=WANTED, before=f"{UNDER}/kept")
        (root / "program").write_text(Dnf.program)
        self.write("etc/dnf/vars/releasever", "1\n")
        rpm(root / "before", "base", "1.0", "true", "Provides: /bin/sh\n")  # no rpm has brought what the image is made of
        for name in WANTED:
            rpm(root / "before", name, "1.0", "true")
            rpm(root / "channel", name, "2.0", "true")
        self.publish()
        done = self.run("sh", "-c", f"rpm -i {UNDER}/before/*.rpm")
        assert done.returncode == 0, done.stderr

    def publish(self) -> None:
        subprocess.run(
            ["createrepo_c", "--quiet", "--no-database", "."], cwd=self.root / "channel", capture_output=True, check=True, timeout=60
        )

    def write(self, path: str, text: str) -> Path:
        """A file of the host."""
        file = self.upper / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def run(self, *command: str, before: str = "true") -> subprocess.CompletedProcess[str]:
        """`before` is run first, in the same namespaces of mounts and processes, with $whole for the root of the host."""
        layers = self.root / "layers"
        script = f"""
            set -e
            whole={layers}/whole
            mount -t overlay overlay -o lowerdir={base_image()}/root,upperdir={layers}/upper,workdir={layers}/work $whole
            mkdir -p $whole{UNDER}
            mount --bind {self.root} $whole{UNDER}
            mount -t proc proc $whole/proc
            mount --bind /dev $whole/dev
            {before}
            exec chroot $whole "$@"
        """
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "host", *command]
        return subprocess.run(apart, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def does(self, verb: str, *words: str, before: str = "true") -> subprocess.CompletedProcess[str]:
        """`words` come before the command, as those of env do."""
        return self.run(*words, *ALONE, f"{UNDER}/program", verb, json.dumps(dataclasses.asdict(self.order)), before=before)

    def plan(self) -> Plan:
        """After the index was read."""
        for verb in ("reread", "plan"):
            done = self.does(verb)
            assert done.returncode == 0, done.stderr
        return Plan.read(done.stdout)

    def versions(self) -> dict[str, str]:
        text = self.run("rpm", "-qa", "--qf", "%{NAME} %{EVR}\\n").stdout
        return dict(line.split() for line in text.splitlines() if line.startswith("fleet-"))
