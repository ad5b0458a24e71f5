"""Two real lab hosts of their own (not those of the checkout), package channels made for a test, and operator processes."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from drydock_stack import instance

from .hostrun.program import SOURCE as WRAPPER
from .hostrun.program import wait_until

ROOT = Path(__file__).parents[2]
SOURCES = os.pathsep.join(str(ROOT / source) for source in ("lab/src", "remediation/src", "proto/src/main/python"))

OFFSET = 40  # In the ports of this checkout, behind those of its stack: others may be taken by any outgoing connection.
CHANNEL_PORT = 8081
FETCH = "python3 -c 'import sys,urllib.request as u; print(u.urlopen(sys.argv[1]).read())'"


class Lab:
    """The lab of these tests, in a state folder of its own: a running lab or demo of the checkout is left alone."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.grants = itertools.count(int(time.time()))  # data partitions remember the tokens of earlier runs
        state.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(str(state).encode()).hexdigest()
        number = int(digest[:8], 16)
        base = instance.load(ROOT).port_base + OFFSET
        self.subnet = f"10.{128 + number % 64}.{number // 64 % 256}"
        ports = {"balancerStats": base, "labControl": base + 1, "balancer": base + 2}
        self.instance = state / "instance.json"
        document = {"id": digest[:5], "stateDir": str(state), "portBase": base, "ports": ports, "subnet": self.subnet}
        self.instance.write_text(json.dumps(document))

    def grant(self) -> int:
        """The number of a grant, above all that its hosts have seen."""
        return next(self.grants)

    def command(self, *arguments: str) -> str:
        answer = subprocess.run(
            [sys.executable, "-m", "drydock_lab", "--instance", str(self.instance), *arguments],
            env={**os.environ, "PYTHONPATH": SOURCES},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    @property
    def ssh_file(self) -> Path:
        return self.state / "lab" / "ssh.json"

    def release(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.state / "lab" / "releases" / f"{name}.json").read_text())
        return found

    def address(self, host: str) -> str:
        return f"{self.subnet}.{10 + int(host.removeprefix('h'))}"

    def events(self, host: str) -> list[str]:
        """What happened to the machine, as the lab tells."""
        port = json.loads(self.instance.read_text())["ports"]["labControl"]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/hosts/{host}", timeout=20) as answer:
            return [event["event"] for event in json.load(answer)["events"]]

    def ask(self, host: str, command: str, stdin: bytes = b"") -> str:
        """Runs a command on a host by this test's own ssh."""
        ssh = json.loads(self.ssh_file.read_text())
        options = ["-i", ssh["keyFile"], "-o", f"UserKnownHostsFile={ssh['knownHostsFile']}", "-o", "ConnectTimeout=5"]
        login = f"{ssh['user']}@{self.address(host)}"
        answer = subprocess.run(["ssh", *options, login, command], input=stdin, capture_output=True, timeout=30, check=False)
        return answer.stdout.decode().strip()

    def installed(self, host: str) -> dict[str, str]:
        """What the release of the host is made of, in the words of its family."""
        apt, rpm = "dpkg-query -W -f '${Package} ${Version}\\n' 'fleet-*'", "rpm -qa --qf '%{NAME} %{EVR}\\n'"
        text = self.ask(host, f"if command -v dpkg-query >/dev/null; then {apt}; else {rpm} | grep -v fleet-base; fi")
        return dict(line.split() for line in text.splitlines())

    def channel(self, host: str, folder: Path) -> str:
        """Makes a folder of Debian packages a channel of the host."""
        (folder / "Packages").write_text(_call("apt-ftparchive", "packages", ".", folder=folder))
        (folder / "Release").write_text(_call("apt-ftparchive", "release", ".", folder=folder))
        return self._serve(host, folder, "Packages")

    def dnf_channel(self, host: str, folder: Path) -> str:
        """The same with rpms."""
        _call("createrepo_c", "--quiet", "--no-database", ".", folder=folder)
        return self._serve(host, folder, "repodata/repomd.xml")

    def _serve(self, host: str, folder: Path, index: str) -> str:
        """Serves the folder on the host itself: hosts reach no server of a test."""
        files = subprocess.run(
            ["tar", "-cf", "-", "--exclude=.fleet*", "."], cwd=folder, capture_output=True, timeout=30, check=True
        ).stdout
        self.ask(host, "mkdir /root/channel && tar -xf - -C /root/channel", files)
        serve = f"python3 -m http.server --directory /root/channel --bind 127.0.0.1 {CHANNEL_PORT}"
        self.ask(host, f"setsid {serve} </dev/null >/dev/null 2>&1 &")
        url = f"http://127.0.0.1:{CHANNEL_PORT}"
        wait_until(lambda: len(self.ask(host, f"{FETCH} {url}/{index}")) > 20, "the channel is served")
        return url


def _call(*command: str, folder: Path) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True).stdout


def package(
    folder: Path, name: str, version: str, control: str = "", postinst: str = "true", preinst: str = "true", *, again: bool = False
) -> None:
    """Builds a small real package into the folder; `again`: instead of one it has."""
    tree = folder / f".{name}"
    (tree / "DEBIAN").mkdir(parents=True, exist_ok=again)
    head = f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: test <test@drydock.invalid>\n"
    (tree / "DEBIAN" / "control").write_text(f"{head}{control}Description: for a test\n")
    for script, when, body in (("postinst", "configure", postinst), ("preinst", "upgrade", preinst)):
        file = tree / "DEBIAN" / script
        file.write_text(f'#!/bin/sh\nset -e\n[ "$1" = {when} ] || exit 0\n{body}\n')
        file.chmod(0o755)
    _call("dpkg-deb", "--root-owner-group", "--build", str(tree), str(folder), folder=folder)


def rpm(folder: Path, name: str, version: str, post: str, fields: str = "", file: str = "") -> None:
    """The same for a host with dnf; `file` is one it has in it, with its name as text."""
    spec = folder / f".{name}.spec"
    install = f"%install\nmkdir -p %{{buildroot}}/{Path(file).parent}\necho {name} > %{{buildroot}}/{file}\n" if file else ""
    head = f"Name: {name}\nVersion: {version}\nRelease: 1\nSummary: for a test\nLicense: none\nBuildArch: noarch\n{fields}"
    spec.write_text(f"{head}%description\nFor a test.\n%post\n{post}\n{install}%files\n{file}\n")
    places = {"_topdir": str(folder / ".fleet-rpm"), "_rpmdir": str(folder), "_rpmfilename": "%%{NAME}.rpm"}
    _call(
        "rpmbuild",
        "--quiet",
        "-bb",
        *(word for name in places for word in ("--define", f"{name} {places[name]}")),
        str(spec),
        folder=folder,
    )


# (file of the operator, text in it, what to put in its place)
Bug = tuple[str, str, str]


def broken(folder: Path, *bugs: Bug) -> Path:
    """A copy of the operator with bugs planted in it."""
    source = folder / "remediation" / "src"
    shutil.copytree(ROOT / "remediation" / "src", source)
    (folder / "proto/src/main/host").mkdir(parents=True)
    shutil.copy(WRAPPER, folder / "proto/src/main/host/hostrun")
    for name, old, new in bugs:
        file = source / "drydock_remediation" / name
        text = file.read_text()
        assert text.count(old) == 1, f"the planted bug no longer fits {name}: {old!r}"
        file.write_text(text.replace(old, new))
    return source


def environment(lab: Lab, url: str, token_file: Path) -> dict[str, str]:
    """What the operator finds in its environment."""
    return {
        **os.environ,
        "PYTHONPATH": SOURCES,
        "DRYDOCK_URL": url,
        "DRYDOCK_TOKEN_FILE": str(token_file),
        "DRYDOCK_SSH_CONFIG": str(lab.ssh_file),
        "DRYDOCK_BMC_CONFIG": str(lab.state / "lab" / "bmc.json"),
        "DRYDOCK_HEALTH_CHECKS": str(lab.state / "lab" / "health-checks"),
    }


def operator(lab: Lab, url: str, token_file: Path, log: Path, *arguments: str, source: Path | None = None) -> subprocess.Popen[bytes]:
    """The real program, or the one of another source folder. It dies with the test run: nobody else would end it."""
    found = environment(lab, url, token_file) | {"DRYDOCK_STATE_DIR": str(log.parent)}
    if source:
        found["PYTHONPATH"] = f"{source}{os.pathsep}{SOURCES}"
    with log.open("ab") as file:
        return subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", sys.executable, "-m", "drydock_remediation", *arguments],
            env=found,
            stdin=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,
        )
