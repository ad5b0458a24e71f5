"""What is removed from a host whose disk is full: by rules, never by a link, once per round."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from drydock_remediation import crash
from drydock_remediation.boot_clock import boot_clock
from drydock_remediation.jobset import ClaimedWork
from drydock_remediation.lease import Lease
from drydock_remediation.operator import Operator
from drydock_remediation.records import Claim, Outcome, Repair, Result, Step
from drydock_remediation.reimage.host import NoAnswer, NotDone
from drydock_remediation.repairs import clean_disk as cleaning
from drydock_remediation.repairs import clean_on_host
from drydock_remediation.repairs.clean_rules import NEVER, Rule, default, objection, read

from .fakes import FakeBoard, ScriptedPlayer, all_good, job
from .reimage_attempt import Died
from .reimage_world import SimulatedHost, SimulatedMachine
from .test_operator import SETTINGS

REPORT = {"removed": {"rotated logs": {"files": 2, "bytes": 3 << 20}}, "failed": [], "free": {"/var/log": 41}}


class Place:
    """A folder as a host has it, and the program that cleans there."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def file(self, name: str, hours: float = 0, text: str = "x" * 5000) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        written = time.time() - hours * 3600
        os.utime(path, (written, written))
        return path

    def clean(self, *patterns: str, hours: int = 0, plan: bool = False, mounts: str = "", data: str = "/data") -> dict[str, Any]:
        """`mounts` are commands that are run before it, where nobody else sees what they mount."""
        rules = [Rule("logs", tuple(f"{self.root}/{pattern}" for pattern in patterns), hours).record()]
        command = [sys.executable, "-c", cleaning.ON_HOST.read_text(), json.dumps(rules), *(["plan"] if plan else [])]
        if mounts:
            command = [
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                f'set -e; cd "$0"\n{mounts}\nexec "$@"',
                str(self.root),
                *command,
            ]
        environment = {**os.environ, "DRYDOCK_DATA": data}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def left(self) -> set[str]:
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if not path.is_dir()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_matches_and_is_old_enough_goes_and_all_else_stays(place: Place) -> None:
    for name, hours in {"app.log": 9, "app.log.1": 9, "deep/er/app.log.2": 9, "app.log.3": 0.5, "app.log.12": 9}.items():
        place.file(name, hours)
    told = place.clean("**/*.[0-9]", hours=1)
    assert place.left() == {"app.log", "app.log.3", "app.log.12"}
    assert told["removed"]["logs"]["files"] == 2
    assert told["removed"]["logs"]["bytes"] >= 10000
    assert (told["failed"], list(told["free"])) == ([], [str(place.root)])


def test_everything_below_is_matched_by_two_stars_at_the_end(place: Place) -> None:
    place.file("crash/core.1")
    place.file("crash/deep/core.2")
    place.file("crashed/core.3")
    assert place.clean("crash/**")["removed"]["logs"]["files"] == 2
    assert place.left() == {"crashed/core.3"}


def test_a_plan_removes_nothing_and_says_the_same(place: Place) -> None:
    place.file("app.log.1")
    planned = place.clean("*.1", plan=True)
    assert place.left() == {"app.log.1"}
    assert place.clean("*.1")["removed"] == planned["removed"]


def test_what_a_link_leads_to_stays(place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    precious = elsewhere / "precious.1"
    precious.write_text("mine")
    (place.root / "folder").symlink_to(elsewhere)
    (place.root / "linked.1").symlink_to(precious)
    assert place.clean("**/*.1", "folder/*.1")["removed"] == {}
    assert precious.read_text() == "mine"
    assert (place.root / "linked.1").is_symlink()


@pytest.mark.parametrize("mount", ["--bind share", "-t tmpfs none"])
def test_what_is_mounted_below_stays_and_that_is_told_once(place: Place, mount: str) -> None:
    """A bind mount is on the device of the folder it is in."""
    for name in ("share/a.1", "logs/a.1", "logs/application/a.1", "logs/app/hidden.1"):
        place.file(name)
    told = place.clean("logs/**/*.1", "logs/*/*.1", mounts=f"mount {mount} logs/app; touch logs/app/a.1")
    assert place.left() == {"share/a.1", "logs/app/hidden.1"}
    assert told["removed"]["logs"]["files"] == 2
    assert told["failed"] == [f"{place.root}/logs/app: something else is mounted there"]


def test_a_mount_is_known_by_any_name(place: Place) -> None:
    place.file("share/a.1")
    (place.root / "logs" / "my app\n").mkdir(parents=True)
    assert place.clean("logs/**", mounts="mount --bind share logs/my*")["removed"] == {}
    assert place.left() == {"share/a.1"}


@pytest.mark.parametrize(("folder", "way"), [("logs", "mkdir logs; mount --bind data/logs logs"), ("var/logs", "ln -s data var")])
def test_a_folder_that_lies_in_the_data_partition_is_left_as_it_is(place: Place, folder: str, way: str) -> None:
    place.file("partition/logs/a.1")
    (place.root / "data").mkdir()
    told = place.clean(f"{folder}/**", mounts=f"mount --bind partition data; {way}", data=f"{place.root}/data")
    assert told == {"removed": {}, "failed": [f"{place.root}/{folder}: it lies in {place.root}/data"], "free": {}}
    assert "partition/logs/a.1" in place.left()


def test_data_that_are_shown_from_below_a_folder_stay_under_their_other_name(place: Place) -> None:
    place.file("opt/data/logs/a.1")
    place.file("opt/b.1")
    (place.root / "data").mkdir()
    told = place.clean("opt/**", mounts="mount --bind opt/data data", data=f"{place.root}/data")
    assert (told["removed"]["logs"]["files"], told["failed"]) == (1, [f"{place.root}/opt/data: it lies in {place.root}/data"])
    assert place.left() == {"opt/data/logs/a.1"}


def test_a_partition_of_its_own_that_is_no_data_is_cleaned(place: Place) -> None:
    (place.root / "logs").mkdir()
    told = place.clean("logs/**", mounts="mount -t tmpfs none logs; touch logs/a.1", data=f"{place.root}/data")
    assert (told["removed"]["logs"]["files"], told["failed"], list(told["free"])) == (1, [], [f"{place.root}/logs"])


MOUNTS = r"""22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
30 22 254:2 / /data rw,relatime - xfs /dev/vda2 rw
31 22 254:2 /old\040logs /var/log rw,relatime shared:3 master:4 - xfs /dev/vda2 rw
32 22 254:1 /database /var/database rw - ext4 /dev/vda1 rw
33 22 0:40 / /var/tmp rw - nfs4 filer:/tmp rw
34 22 0:41 / /var/cache/dnf rw - fuse.sshfs filer: rw
35 22 0:42 / /tmp rw - nfs4 filer:/tmp rw
36 35 0:43 / /tmp rw - tmpfs tmpfs rw
37 30 254:3 / /data/disk1 rw - xfs /dev/vdb rw
38 22 254:3 /logs /var/opt/log rw - xfs /dev/vdb rw
39 30 254:1 / /data/system rw - ext4 /dev/vda1 rw
40 22 254:4 / /database/disk rw - xfs /dev/vdc rw
41 22 254:4 /spool /var/spool rw - xfs /dev/vdc rw
"""


@pytest.mark.parametrize(
    ("folder", "data", "why"),
    [
        ("/var/crash", "/data", ""),
        ("/tmp", "/data", ""),
        ("/var/log", "/data", "it lies in /data"),
        ("/var/log/app", "/data", "it lies in /data"),
        ("/data/disk1/tmp", "/data", "it lies in /data"),
        ("/var/opt/log", "/data", "it lies in /data"),
        ("/var/spool/tmp", "/data", ""),
        ("/var/log", "/data/old", ""),
        ("/var/database/tmp", "/database", "it lies in /database"),
        ("/var/database/tmp", "/data", ""),
        ("/var/log", "/var/data", ""),
        ("/var/tmp", "/data", "it lies on a file system of other machines, nfs4"),
        ("/var/cache/dnf", "/data", "it lies on a file system of other machines, fuse.sshfs"),
    ],
)
def test_where_a_folder_lies_says_what_is_mounted_there(folder: str, data: str, why: str) -> None:
    assert clean_on_host.objection(folder, clean_on_host.read(MOUNTS), data) == why


def test_a_folder_that_is_not_there_is_no_trouble(place: Place) -> None:
    assert place.clean("nowhere/**") == {"removed": {}, "failed": [], "free": {}}


def test_the_rules_there_are_without_others_are_sound() -> None:
    assert {rule.name for rule in default()} == {"fetched packages", "rotated logs", "core dumps", "temporary files"}


@pytest.mark.parametrize("folder", NEVER)
def test_no_rule_reaches_where_a_system_or_its_data_are(folder: str) -> None:
    assert f"reaches into {folder}" in objection(f"{folder}/**")
    assert objection(f"{folder}/deep/er/*.gz")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("var/log/*.gz", "no absolute path"),
        ("/var/log/../../etc/*", "no absolute path"),
        (7, "no absolute path"),
        ("/*/log/*.gz", "may match anywhere"),
        ("/**", "may match anywhere"),
        ("/var/**", "reaches into /var/lib/apt"),
        ("/var/lib/dpkg/info/*.list", "reaches into /var/lib/dpkg"),
    ],
)
def test_a_pattern_that_may_match_too_much_is_refused(pattern: Any, why: str) -> None:
    assert why in objection(pattern)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "a mapping with a list of rules"),
        ("rules: {}", "at least one rule"),
        ("rules: [{name: logs}]", "each has name, olderThanHours, paths"),
        ("rules: [{name: logs, paths: [], olderThanHours: 1}]", "rule logs: paths is no list"),
        ("rules: [{name: logs, paths: [/tmp/**], olderThanHours: -1}]", "rule logs: olderThanHours is -1, must be a whole number from 0"),
        ("rules: [{name: logs, paths: [/tmp/**], olderThanHours: yes}]", "olderThanHours is True"),
        ("rules: [{name: logs, paths: [/etc/*], olderThanHours: 1}]", "rule logs: '/etc/*' reaches into /etc"),
        ("rules: [", "a mapping with a list of rules"),
    ],
)
def test_a_file_of_rules_that_is_wrong_is_refused_and_says_where(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        read(text)


class FakeHost(SimulatedHost):
    """Says what it is given, or fails in that way, call after call."""

    def __init__(self, *answers: str | Exception) -> None:
        super().__init__(SimulatedMachine())
        self.answers = list(answers)
        self.names: list[str] = []

    def run(self, name: str, seconds: int, command: list[str]) -> str:
        self.names.append(name)
        assert seconds == cleaning.CLEAN_SECONDS
        assert json.loads(command[-1]) == [rule.record() for rule in default()]
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Machines:
    def __init__(self, host: FakeHost) -> None:
        self._host = host

    def host(self, claim: Claim) -> FakeHost:
        return self._host

    def bmc(self, host: str) -> None:
        return None


def cleaned(*answers: str | Exception) -> tuple[Result | None, FakeHost]:
    claim = Claim(clean_job(), "claim", 1, "1.17.3.1", 60, boot_clock())
    host, stopping = FakeHost(*answers), threading.Event()
    stopping.wait = lambda timeout=None: False  # type: ignore[method-assign] # nobody waits here
    return cleaning.clean_disk(ClaimedWork(claim, Lease(FakeBoard(), claim)), Machines(host), stopping, default()), host


def clean_job() -> Any:
    return job("h02", Step.REPAIR, repair=Repair.CLEAN_DISK, mode="CleanDisk")


def test_it_is_done_once_something_was_removed() -> None:
    result, host = cleaned(json.dumps(REPORT))
    assert result is not None
    assert result.outcome is Outcome.DONE
    assert result.message == "2 files of rotated logs were removed from h02, 3 MiB; now 41 % free in /var/log"
    assert json.loads(result.evidence) == REPORT
    assert (host.fenced, host.names) == (1, ["clean"])


def test_a_host_that_has_nothing_to_remove_is_not_helped() -> None:
    result, _ = cleaned(json.dumps({"removed": {}, "failed": ["read-only"], "free": {}}))
    assert result is not None
    assert (result.outcome, result.message) == (
        Outcome.FAILED,
        "h02 has nothing that its rules call safe to remove; not removed: read-only",
    )


def test_a_lost_answer_is_asked_for_again_under_the_same_name() -> None:
    result, host = cleaned(NoAnswer("reset"), json.dumps(REPORT))
    assert result is not None
    assert (result.outcome, host.names) == (Outcome.DONE, ["clean", "clean"])


@pytest.mark.parametrize(("point", "begun"), [("due", 0), ("done", 1)])
def test_who_dies_on_the_way_is_followed_by_one_who_asks_under_the_same_name(
    point: str, begun: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim, host = Claim(clean_job(), "claim", 1, "1.17.3.1", 60, boot_clock()), FakeHost(*[json.dumps(REPORT)] * 2)

    def reach(here: str) -> None:
        if here == f"operator-cleandisk-{point}":
            raise Died

    def attempt() -> Result | None:
        return cleaning.clean_disk(ClaimedWork(claim, Lease(FakeBoard(), claim)), Machines(host), threading.Event(), default())

    with monkeypatch.context() as dying:
        dying.setattr(crash, "reach", reach)
        with pytest.raises(Died):
            attempt()
    assert host.names == ["clean"] * begun
    result = attempt()
    assert result is not None
    assert (result.outcome, host.names) == (Outcome.DONE, ["clean"] * (begun + 1))


@pytest.mark.parametrize(
    "answers",
    [[NoAnswer("reset")] * cleaning.ATTEMPTS, [NotDone("code 77: interrupted")], [NotDone("older", fenced_off=True)], ["{}"], ["cut o"]],
)
def test_what_nobody_saw_the_end_of_is_unknown(answers: list[str | Exception]) -> None:
    result, _ = cleaned(*answers)
    assert result is not None
    assert result.outcome is Outcome.UNKNOWN


def test_an_operator_without_bmcs_takes_such_jobs_and_plays_nothing() -> None:
    wanted = clean_job()
    board, player = FakeBoard(wanted), ScriptedPlayer(all_good)
    operator = Operator(board, player, SETTINGS, threading.Event(), Machines(FakeHost(json.dumps(REPORT))))
    assert operator.take() == 1
    operator.join()
    assert board.results[wanted.id].outcome is Outcome.DONE
    assert player.played == []
