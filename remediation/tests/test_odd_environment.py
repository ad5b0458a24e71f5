"""What the environment and the umask of root are on a host changes nothing: they come from whatever its shell, PAM or sshd set."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from drydock_remediation.bundle import ALONE, ENVIRONMENT
from drydock_remediation.framed_output import ask
from drydock_remediation.player import CONFIG, AnsiblePlayer
from drydock_remediation.records import Claim, Step
from drydock_remediation.settings import WRAPPER, Settings, Ssh

from .fakes import job

ODD = {
    "PYTHONHOME": "/nowhere",
    "PYTHONPATH": "/nowhere",
    "PATH": "/nowhere",
    "LC_ALL": "de_DE.UTF-8",
    "LANGUAGE": "de",
    "APT_CONFIG": "/nowhere",
    "DPKG_FORCE": "all",
    "TMPDIR": "/nowhere",
    "http_proxy": "http://proxy:3128",
    "HOME": "/root",
}
SHOWS = ["sh", "-c", "env | sort; umask"]
SHELL = '#!/bin/sh\nexport {}\numask 0777\nexec /bin/sh "$@"\n'
SETTINGS = Settings("http://board", Path("token"), Ssh("root", Path("/key"), Path("/known")), "me")


def wrapper(root: Path, *words: str) -> list[str]:
    """What runs under it says what it runs in."""
    odd = {**ODD, "HOSTRUN_ROOT": str(root)}
    done = subprocess.run(
        [*ALONE, str(WRAPPER), *words, "--deadline", "20", "--", *SHOWS],
        env=odd,
        umask=0o777,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("words", [("run", "--token", "1.1.1.1", "--key", "k"), ("beside", "--token", "1.0.1.1")])
def test_a_command_under_the_wrapper_has_its_own_but_for_a_proxy(tmp_path: Path, words: tuple[str, ...]) -> None:
    *environment, umask = wrapper(tmp_path / "state", *words)
    told = dict(line.split("=", 1) for line in environment if not line.startswith(("HOSTRUN_", "PWD=", "_=", "SHLVL=", "OLDPWD=")))
    assert told == {"PATH": ENVIRONMENT["PATH"], "LC_ALL": "C", "HOME": "/root", "http_proxy": "http://proxy:3128"}
    assert umask == "0022"


def test_control_a_python_that_heeds_it_does_not_start() -> None:
    assert subprocess.run([ALONE[0], "-c", "pass"], env=ODD, capture_output=True, check=False, timeout=20).returncode != 0


def test_a_command_over_ssh_is_found_whatever_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ssh"
    program.write_text('#!/bin/bash\nexport PATH=/nowhere PYTHONHOME=/nowhere\nexec /bin/bash -c "${@: -1}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    answer = ask(["ssh", "root@h"], [*ALONE, "-c", "print(1)"], 20)
    assert (answer.code, answer.out) == (0, "1\n"), answer


@pytest.mark.full
def test_a_host_is_read_by_ansible_whatever_its_shell_sets(tmp_path: Path) -> None:
    """By a shell that sets it before each module; control: what the play sets against it is left away."""
    shell = tmp_path / "shell"
    shell.write_text(SHELL.format(" ".join(f"{name}={value}" for name, value in ODD.items() if name != "LC_ALL")))
    shell.chmod(0o755)
    player = AnsiblePlayer(SETTINGS)
    claim = Claim(job(step=Step.HEALTH), "c", 1, "1.1.1.1", 15, 0.0)
    player._write_inventory(tmp_path, Step.HEALTH, [claim])
    inventory = tmp_path / "inventory" / "hosts.json"
    record = json.loads(inventory.read_text())
    record["all"]["vars"] |= {"ansible_connection": "local", "ansible_shell_executable": str(shell)}
    for clean, failed in ((ENVIRONMENT, False), ({}, True)):
        record["all"]["vars"]["clean"] = clean
        inventory.write_text(json.dumps(record))
        command = ["ansible-playbook", "-i", str(inventory), str(CONFIG.parent / "health.yml")]
        done = subprocess.run(command, env=player._environment(tmp_path), capture_output=True, text=True, check=False, timeout=120)
        assert ("TASK [before]" in done.stdout, "fatal: [h02]" in done.stdout) == (True, failed), done.stdout + done.stderr
