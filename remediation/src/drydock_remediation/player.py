"""Runs one playbook over the hosts of a job set and hands on what each task says about each host."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import logging
import os
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from drydock_remediation.bundle import ENVIRONMENT, PYTHON
from drydock_remediation.commands import Wrapper, before_file, gives_back, preflight_commands, tells_others, update_commands
from drydock_remediation.facts import HostFacts
from drydock_remediation.health.condition import Condition
from drydock_remediation.health.custom import Ran
from drydock_remediation.plain_text import plain
from drydock_remediation.processes import COOKIE, kill_play
from drydock_remediation.records import FAMILIES, PACKAGE_UPDATE, Claim, Job, Repair, Step
from drydock_remediation.settings import Settings
from drydock_remediation.task_reports import TaskReports

LOG = logging.getLogger(__name__)
PLAYBOOKS = {
    Step.VERIFY: "health.yml",
    Step.UPDATE: "update.yml",
    Step.HEALTH: "health.yml",
    Step.REPAIR: "health.yml",
    Step.PREFLIGHT: "preflight.yml",
}
CONFIG = Path(__file__).parent / "playbooks" / "ansible.cfg"
LOOK_SECONDS = 0.1
READ_SECONDS = 120  # for each reading of a host, beside the sums of its data; what hangs there does not hang here
SUMS_LEAVE_SECONDS = 60
SHORT_PLACES = ("/tmp", "/run", "/dev/shm", "/var/tmp")  # noqa: S108 - a private folder is made there
PLACE_BYTES_MAX = 40
STARTED = "started"  # a task was sent to its host; its own report follows


@dataclass(frozen=True)
class TaskReport:
    host: str
    task: str
    told: TaskReports


class Player(Protocol):
    """Plays a step for claims of different hosts. Ends at once when `stop` says so, with nothing of it left running. Ends by
    itself at the moment `until` named last (CLOCK_BOOTTIME), also when nobody comes to ask `stop`."""

    def play(self, step: Step, claims: list[Claim], stop: Callable[[], bool], until: Callable[[], float]) -> Iterator[TaskReport]: ...


class AnsiblePlayer:
    """One ansible-runner per job set: in batches a host costs a seventh of what a runner for each would."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._wrapper = Wrapper(settings.wrapper)

    def check_version(self) -> None:
        """ansible-runner takes ansible-playbook from PATH, which may be another one than ours."""
        want = metadata.version("ansible-core")
        answer = subprocess.run(
            ["ansible-playbook", "--version"],
            env=self._environment(Path("/nonexistent")),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if f"[core {want}]" not in answer.stdout:
            raise RuntimeError(f"ansible-playbook beside {sys.executable} must be of ansible-core {want}: {answer.stdout or answer.stderr}")

    def play(self, step: Step, claims: list[Claim], stop: Callable[[], bool], until: Callable[[], float]) -> Iterator[TaskReport]:
        directory = private_directory()
        cookie = secrets.token_hex(16)
        process: subprocess.Popen[bytes] | None = None
        try:
            self._write_inventory(directory, step, claims)
            seconds = max(claim.job.deadline_seconds for claim in claims)
            process = subprocess.Popen(
                [sys.executable, "-m", "drydock_remediation.play", str(directory), PLAYBOOKS[step], str(seconds), str(until())],
                env={**self._environment(directory), COOKIE: cookie},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None,
                start_new_session=True,
            )
            yield from reports(process, stop, until)
        finally:
            if not kill_play(cookie):
                LOG.error("processes of a play would not die", extra={"cookie": cookie})
            if process is not None:
                process.communicate()
            shutil.rmtree(directory, ignore_errors=True)

    def _environment(self, directory: Path) -> dict[str, str]:
        package = str(Path(__file__).parents[1])
        return {
            **{name: os.environ[name] for name in ("HOME", "USER", "TZ") if name in os.environ},
            "LC_ALL": "C.UTF-8",
            "PATH": f"{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHONPATH": package,
            "PYTHONUNBUFFERED": "1",
            "ANSIBLE_CONFIG": str(CONFIG),
            "ANSIBLE_FORKS": str(self._settings.forks),
            "ANSIBLE_HOST_KEY_CHECKING": "True",
            "ANSIBLE_HOME": str(directory / "ansible"),
            "ANSIBLE_LOCAL_TEMP": str(directory / "tmp"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "True",
            "ANSIBLE_SSH_ARGS": " ".join([*self._settings.ssh.options(), "-o", "ControlMaster=auto", "-o", "ControlPersist=30s"]),
            "ANSIBLE_SSH_RETRIES": "2",
            "ANSIBLE_TIMEOUT": "10",
        }

    def _write_inventory(self, directory: Path, step: Step, claims: list[Claim]) -> None:
        hosts = {claim.job.host: self._host_variables(directory, step, claim) for claim in claims}
        common = {"ansible_user": self._settings.ssh.user, "ansible_python_interpreter": PYTHON, "clean": ENVIRONMENT}
        inventory = directory / "inventory"
        inventory.mkdir()
        (inventory / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": common}}))

    def _host_variables(self, directory: Path, step: Step, claim: Claim) -> dict[str, Any]:
        job = claim.job
        assert job.release is not None, "checked before the job set was made"  # noqa: S101
        family = FAMILIES[job.family]
        sums = self._sums_seconds(job) if step in (Step.VERIFY, Step.HEALTH) else 0
        variables = {
            "ansible_host": job.address,
            "ansible_control_path": control_path(directory, job.address),
            "job_id": job.id,
            "release": dataclasses.asdict(job.release),
            "packages": sorted(job.release.packages),
            "services": list(job.applications),
            "query": family.query,
            "audits": family.audits(sorted(job.release.packages)),
            "kept": before_file(job),
            "condition_wanted": job.repair is Repair.DIAGNOSE or (step is Step.HEALTH and job.spec.inner),
            "condition_services": list(job.applications if job.repair is Repair.DIAGNOSE else job.spec.services),
            "checks": self._checks(job) if step is Step.HEALTH else "",
            "sums_seconds": sums,
            "read_seconds": READ_SECONDS + sums,
            "wrapper": self._wrapper.path,
            "wrapper_source": str(self._settings.wrapper),
            "give_back": gives_back(self._wrapper, claim) if step in (Step.VERIFY, Step.HEALTH) else [],
            "others": tells_others() if job.repair is Repair.DIAGNOSE else [],
        }
        if step is Step.PREFLIGHT:
            return {**variables, "commands": preflight_commands(claim, job.release), "packaged": job.mode == PACKAGE_UPDATE}
        if step is not Step.UPDATE:
            return variables
        login = f"{self._settings.ssh.user}@{job.address}"
        await_boot = [sys.executable, "-m", "drydock_remediation.await_boot", str(min(self._settings.waits.boot, job.deadline_seconds))]
        await_boot += [control_path(directory, job.address), login, *self._settings.ssh.options()]
        return {**variables, "commands": update_commands(self._wrapper, claim, job.release), "await_boot": await_boot}

    def _sums_seconds(self, job: Job) -> int:
        """What else is asked of the host has to be answered before the job is over."""
        return min(self._settings.waits.sums, max(job.deadline_seconds * 2 // 3, job.deadline_seconds - SUMS_LEAVE_SECONDS))

    def _checks(self, job: Job) -> str:
        """As run_checks takes those of them that are known here; empty where there are none."""
        known = {name: self._settings.health_checks[name] for name in job.checks if name in self._settings.health_checks}
        records = {name: {"command": check.command, "seconds": check.seconds} for name, check in known.items()}
        return base64.b64encode(json.dumps(records).encode()).decode() if records else ""


def private_directory() -> Path:
    """Short, wherever this machine keeps what is temporary: it carries sockets, whose paths may be of 107 bytes only."""
    places = [tempfile.gettempdir(), *SHORT_PLACES]
    fit = [place for place in places if len(os.fsencode(place)) <= PLACE_BYTES_MAX and os.access(place, os.W_OK | os.X_OK)]
    if not fit:
        raise RuntimeError(f"there is no place for sockets: {', '.join(places)} are too long, not there, or may not be written to")
    return Path(tempfile.mkdtemp(prefix="drydock-", dir=fit[0]))


def control_path(directory: Path, address: str) -> str:
    """Of the connection to a host; as short for every address, however long that is. ssh makes it with a name of 17 bytes more."""
    return f"{directory}/{hashlib.sha256(address.encode()).hexdigest()[:16]}"


def reports(process: subprocess.Popen[bytes], stop: Callable[[], bool], until: Callable[[], float]) -> Iterator[TaskReport]:
    """Task reports until the process ends or `stop` says so. `stop` is asked ten times a second, and as often the process is
    told a new `until`."""
    assert process.stdout is not None  # noqa: S101 - it was opened with a pipe
    descriptor, rest, told_until = process.stdout.fileno(), b"", 0.0
    while not stop():
        if (now_until := until()) != told_until:
            extend(process, now_until)
            told_until = now_until
        if not select.select([descriptor], [], [], LOOK_SECONDS)[0]:
            continue
        read = os.read(descriptor, 1 << 16)
        if not read:
            return
        *lines, rest = (rest + read).split(b"\n")
        for line in lines:
            if report := read_report(line):
                yield report


def extend(process: subprocess.Popen[bytes], until: float) -> None:
    assert process.stdin is not None  # noqa: S101 - it was opened with a pipe
    try:
        process.stdin.write(f"{until}\n".encode())
        process.stdin.flush()
    except BrokenPipeError:
        pass  # it has ended, and its reports end with it


def read_report(line: bytes) -> TaskReport | None:
    record: Any = None
    try:
        record = plain(json.loads(line))
        facts = None if record["facts"] is None else HostFacts.read(record["facts"])
        condition = None if record["condition"] is None else Condition.read(record["condition"])
        checks = None if record["checks"] is None else {name: Ran.read(one) for name, one in record["checks"].items()}
        told = TaskReports(record["status"], record["rc"], record["stdout"], record["stderr"] or record["msg"], facts, condition, checks)
        return TaskReport(record["host"], record["task"], told)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        LOG.warning("a line of the play was not understood: %r: %r", line[:300], error)
        return _odd(record, error)


def _odd(record: Any, error: Exception) -> TaskReport | None:
    """Of whom it is, if that is told: whoever answers oddly is told by name, and stops nobody else."""
    try:
        return TaskReport(
            str(record["host"]), str(record["task"]), TaskReports("failed", None, "", f"its answer was not understood: {error!r}")
        )
    except (KeyError, TypeError):
        return None
