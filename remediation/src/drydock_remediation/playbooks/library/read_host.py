#!/usr/bin/python3
"""Ansible module, and a program without it: reads everything the operator wants to know of a host, in one visit. Changes nothing.

One module instead of a dozen tasks: a reading is of one moment, and a fork and an SSH round trip per question would be
the most expensive part of an update. Runs on the host: standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS_MAX = 60
# Of dpkg, and of rpm by its kinds and places.
DATABASES = (
    "var/lib/dpkg/status",
    *(f"{place}/{name}" for place in ("var/lib/rpm", "usr/lib/sysimage/rpm") for name in ("rpmdb.sqlite", "Packages.db", "Packages")),
)
TEXT_MAX = 2000
AUDIT_MAX = 64 << 10  # compared line by line with what it was before
ROOT, HELD_OFF = Path("/data/drydock"), Path("/var/lib/drydock/held-off")


def call(*command: str, cwd: str = "/", seconds: int = SECONDS_MAX) -> tuple[int, str]:
    """Exit code and all output. A command that cannot run or end is an error of the reading, not an empty answer."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
    result = subprocess.run(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False
    )
    return result.returncode, result.stdout.decode(errors="replace")


def installed(text: str) -> dict[str, str]:
    """Versions of properly installed packages from lines NAME|STATUS|VERSION; others are not installed. A name that is
    installed more than once (another architecture, a second kernel) has its versions with blanks between."""
    found: dict[str, set[str]] = {}
    for name, status, version in (line.split("|") for line in text.splitlines() if line.count("|") == 2 and not line.startswith("audit=")):
        if status.strip() in ("ii", "hi"):
            found.setdefault(name, set()).add(version)
    return {name: " ".join(sorted(versions)) for name, versions in sorted(found.items())}


def listed(packages: dict[str, str]) -> str:
    """The compact form in which all packages of a host are handed on: lines `name version`, sorted by name."""
    return "".join(f"{name} {version}\n" for name, version in packages.items())


def os_release(text: str) -> str:
    """What the system calls itself in /etc/os-release."""
    names = (shlex.split(line.partition("=")[2]) for line in text.splitlines() if line.startswith("PRETTY_NAME="))
    return " ".join(next(names, ["unknown"]))


def image_version(*texts: str) -> str:
    """By the first of the files that tells it."""
    lines = (line.partition("=") for text in texts for line in text.splitlines())
    return next((value.strip("\"'") for name, _, value in lines if name == "IMAGE_VERSION"), "")


def text_of(*paths: str) -> str:
    """The first of the files that is there: a package manager that was killed may have left one away for the moment."""
    return next((file.read_text(errors="replace") for file in map(Path, paths) if file.is_file()), "")


def mounted(path: str, table: str) -> bool:
    return any(line.split()[1] == path for line in table.splitlines())


def data_sums(data: Path, seconds: int) -> tuple[bool, str, str]:
    """Are the files of the manifest intact, in words, and the sum of the manifest itself. A partition need not have one.

    It takes as long as its files are large; with 0 seconds they are not looked at. That the time was over is an answer."""
    manifest = data / "manifest.sha256"
    if not manifest.is_file():
        return True, "no manifest", ""
    own = hashlib.sha256(manifest.read_bytes()).hexdigest()
    if seconds == 0:
        return False, "not checked", own
    try:
        code, text = call("sha256sum", "--check", "--strict", "--quiet", str(manifest), cwd=str(data), seconds=seconds)
    except subprocess.TimeoutExpired:
        return False, f"not checked within {seconds} s", own
    return code == 0, text[:TEXT_MAX] or "intact", own


def has_service(name: str) -> bool:
    """A runit service is defined where runsvdir looks for it."""
    return any((Path(folder) / name / "run").is_file() for folder in ("/etc/service", "/data/service"))


def hostrun_state(wrapper: str) -> dict[str, Any]:
    if not Path(wrapper).exists():
        # Another version of it may have recorded what this one cannot be asked for.
        return {"token": None, "running": [], "runs": {}, "unread": (ROOT / "token").exists()}
    code, text = call("/usr/bin/python3", "-I", "-X", "utf8", wrapper, "state")
    if code != 0:
        raise RuntimeError(f"{wrapper} state: {text[:TEXT_MAX]}")
    state: dict[str, Any] = json.loads(text)
    return state


def before(kept: str) -> dict[str, str] | None:
    """What the host kept before the first effect; nothing when there was none."""
    if not kept or not Path(kept).is_file():
        return None
    text = Path(kept).read_text(errors="replace")
    kernel = next((line.partition("=")[2] for line in text.splitlines() if line.startswith("kernel=")), "unknown")
    audited = "\n".join(line.partition("=")[2] for line in text.splitlines() if line.startswith("audit="))
    return {"kernel": kernel, "os_release": os_release(text), "all_packages": listed(installed(text)), "audit": audited}


def audit(commands: list[list[str]]) -> str:
    """What the auditing commands complain about. One that fails without a word has not said that all is well."""
    said = []
    for command in commands:
        code, text = call(*command)
        if code != 0 or text.strip():
            said.append(text.rstrip() if text.strip() else f"{' '.join(command[:2])} ended with {code}")
    return "\n".join(said)[:AUDIT_MAX]


def fingerprint(root: str = "") -> str:
    """Of the package database; another one after every change of it, whoever made that. Costs nothing: its files are not read."""
    looks = [(path, (Path(root) / path).stat()) for path in DATABASES if (Path(root) / path).is_file()]
    text = "".join(f"{path} {look.st_size} {look.st_mtime_ns}\n" for path, look in looks)
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""


def at_work(command: list[str]) -> str:
    """Who else works there, in a sentence; empty where nobody does, or nobody asks."""
    code, text = call(*command) if command else (0, "")
    return text.strip()[:TEXT_MAX] if code == 0 else ""


def all_installed(query: list[str]) -> dict[str, str]:
    code, text = call(*query)
    if code != 0:
        raise RuntimeError(f"{query[0]} cannot list the installed packages: {text[:TEXT_MAX]}")
    return installed(text)


def read(
    packages: list[str],
    services: list[str],
    wrapper: str,
    query: list[str],
    audits: list[list[str]],
    kept: str,
    sums_seconds: int = 0,
    others: list[str] | None = None,
) -> dict[str, Any]:
    found = all_installed(query)
    sums_ok, sums, manifest = data_sums(Path("/data"), sums_seconds)
    return {
        "boot_id": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        "kernel": os.uname().release,
        "os_release": os_release(text_of("/etc/os-release", "/usr/lib/os-release")),
        "packages": {name: found[name] for name in packages if name in found},
        "all_packages": listed(found),
        "before": before(kept),
        "audit": audit(audits),
        "data_mounted": mounted("/data", Path("/proc/self/mounts").read_text()),
        "data_sums_ok": sums_ok,
        "data_sums": sums,
        "data_manifest": manifest,
        "machine_id": text_of("/etc/machine-id").strip(),
        "image_version": image_version(text_of("/etc/image-release"), text_of("/etc/os-release", "/usr/lib/os-release")),
        "services": {name: has_service(name) for name in services},
        "hostrun": hostrun_state(wrapper),
        "held_off": HELD_OFF.exists(),
        "others": at_work(others or []),
        "database": fingerprint("/"),
    }


def main() -> None:
    from ansible.module_utils.basic import AnsibleModule  # noqa: PLC0415 - only there on the host

    names = {"type": "list", "elements": "str", "default": []}
    module = AnsibleModule(
        argument_spec={
            "packages": names,
            "services": names,
            "wrapper": {"type": "str", "required": True},
            "query": {"type": "list", "elements": "str", "required": True},
            "audits": {"type": "list", "elements": "raw", "required": True},
            "kept": {"type": "str", "default": ""},
            "sums_seconds": {"type": "int", "default": 0},
            "others": names,
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(changed=False, host=read(**module.params))
    except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
        module.fail_json(msg=f"the host could not be read: {error}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:  # without Ansible: python3 - read ARGUMENTS
        print(json.dumps(read(**json.loads(sys.argv[2]))))  # noqa: T201 - its output is its answer
    else:
        main()
