"""The system of a host in the middle of a re-image, over SSH. Whatever changes something there runs under `hostrun`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from drydock_remediation.bundle import ALONE
from drydock_remediation.commands import Wrapper, before_file, kept_before, tells_others
from drydock_remediation.facts import HostFacts
from drydock_remediation.framed_output import LOST, ask
from drydock_remediation.records import FAMILIES, Claim
from drydock_remediation.reimage.facts import Earlier, HostState, Kept, Proof
from drydock_remediation.settings import Ssh

READ_HOST = Path(__file__).parents[1] / "playbooks" / "library" / "read_host.py"
DATA_ON_HOST = Path(__file__).parent / "data_on_host.py"
OLDER_TOKEN = 75  # exit code of hostrun
FENCE_SECONDS, READ_SECONDS = 30.0, 120.0
HASH_SECONDS = 3600
TEXT_MAX = 1000


class NoAnswer(Exception):
    """The host did not answer, or not to the end. A command that changes something goes on there under its wrapper."""


class NotDone(Exception):
    """The host answered, and could not. `fenced_off`: it has seen a newer token, somebody else has it."""

    def __init__(self, message: str, *, fenced_off: bool = False) -> None:
        super().__init__(message)
        self.fenced_off = fenced_off


class Host(Protocol):
    """Of one job. Every call fails with NoAnswer when nobody is there, and with NotDone when what is there cannot."""

    def fence(self) -> None:
        """Shows the host this attempt's token: from here on every older executor is refused there."""

    def read(self) -> HostState: ...

    def keep(self) -> None:
        """Makes the host keep the sums of its data, once per round; then everything written is on its disks, and the services of
        its applications are stopped. NotDone: somebody writes to the data."""

    def prove(self, kept: Kept) -> Proof: ...

    def run(self, name: str, seconds: int, command: list[str]) -> str:
        """Runs a command that changes the host under its wrapper, once per job and name; what it printed."""


class SshHost:
    def __init__(self, ssh: Ssh, wrapper: Wrapper, claim: Claim) -> None:
        self._ssh = ssh
        self._wrapper = wrapper
        self._claim = claim
        self._job = claim.job
        self._record = f"{before_file(claim.job)}.data"

    def fence(self) -> None:
        self._call(self._wrapper.install_and_fence(self._claim.token), FENCE_SECONDS, self._wrapper.text)

    def read(self) -> HostState:
        job = self._job
        family, packages = FAMILIES[job.family], sorted(job.release.packages if job.release else ())
        asked = {
            "packages": packages,
            "services": list(job.applications),
            "wrapper": self._wrapper.path,
            "query": family.query,
            "audits": family.audits(packages),
            "others": tells_others(),
            "kept": before_file(job),
        }
        text = self._call([*ALONE, "-", "read", json.dumps(asked)], READ_SECONDS, READ_HOST.read_text())
        kept = self._call(self._data("kept", job.round), READ_SECONDS)
        try:
            records = json.loads(kept)
            found = {name: None if records[name] is None else Kept.read(records[name]) for name in ("kept", "earlier")}
            return HostState(HostFacts.read(json.loads(text)), **found)
        except (ValueError, KeyError, TypeError) as error:
            raise NoAnswer(f"half a reading: {error!r}") from error

    def keep(self) -> None:
        job = self._job
        earlier = Earlier.of(job)
        proven = earlier.round if earlier.proven else "-"
        command = kept_before(job, FAMILIES[job.family], self._data("keep", job.round, proven, *job.applications))
        self.run("keep", HASH_SECONDS, command)

    def run(self, name: str, seconds: int, command: list[str]) -> str:
        seconds = min(seconds, self._job.deadline_seconds)
        return self._call(self._wrapper.run(self._claim, name, seconds, command), seconds + FENCE_SECONDS)

    def prove(self, kept: Kept) -> Proof:
        seconds = min(HASH_SECONDS, self._job.deadline_seconds)
        text = self._call(self._data("prove", kept.round), seconds)
        try:
            record = json.loads(text)
            return Proof(record["same"] is True, int(record["files"]), str(record["sums"]), tuple(map(str, record["differences"])))
        except (ValueError, KeyError, TypeError) as error:
            raise NoAnswer(f"half a proof: {error!r}") from error

    def _data(self, verb: str, *arguments: object) -> list[str]:
        return [*ALONE, "-c", DATA_ON_HOST.read_text(), verb, self._record, *map(str, arguments)]

    def _call(self, command: list[str], seconds: float, stdin: str = "") -> str:
        answer = ask(["ssh", *self._ssh.options(), f"{self._ssh.user}@{self._job.address}"], command, seconds, stdin)
        if answer.code == LOST:
            raise NoAnswer(answer.err.strip()[-TEXT_MAX:])
        if answer.code != 0:
            said = (answer.err.strip() or answer.out.strip())[-TEXT_MAX:]
            raise NotDone(f"code {answer.code}: {said}", fenced_off=answer.code == OLDER_TOKEN)
        return answer.out
