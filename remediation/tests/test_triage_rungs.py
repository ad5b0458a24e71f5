"""Which rungs a signature opens, all of them in one table; and what the sentences that failures end with come to."""

from __future__ import annotations

import dataclasses

import pytest

from drydock_remediation.channel_on_host import NOTHING_BEGUN
from drydock_remediation.facts import HostRun
from drydock_remediation.observations import Observations
from drydock_remediation.records import Job, Repair, Step
from drydock_remediation.task_reports import TaskReports
from drydock_remediation.triage.facts import Facts
from drydock_remediation.triage.gather import gather
from drydock_remediation.triage.table import FORCE, RUNGS, table
from drydock_remediation.triage.triage import Finding, triage

from .fakes import facts, job
from .signature_cases import CASES, Case

# Of each signature whether it opens RetryStep, RestartService, CleanDisk, PowerCycle, RollBack, Reimage.
OPENS = """
wrong-host-key               -  -  -  -  -  -
sshd-hang                    -  -  -  x  -  x
disk-full                    x  -  x  -  -  -
lock-held                    x  -  -  -  -  -
packages-held                -  -  -  -  -  -
source-unreadable            x  -  -  -  -  -
package-conflict             -  -  -  -  -  -
post-install-failure         x  -  -  -  x  x
lost-memory                  -  -  -  -  -  -
no-power-on                  -  -  -  -  -  -
checksum-mismatch            x  -  -  -  -  x
failed-installer             x  -  -  -  -  x
wrong-kernel                 -  -  -  x  -  x
application-does-not-start   x  x  -  -  x  -
application-unhealthy        x  x  -  -  x  -
drain-stuck                  -  -  -  -  -  -
bmc-down                     -  -  -  -  -  -
bmc-flapping                 x  -  -  -  -  x
bmc-slow                     x  -  -  -  -  x
reboot-never-returned        -  -  -  x  -  x
unreachable                  -  -  -  x  -  x
"""
ROWS = [line.split() for line in OPENS.strip().splitlines()]
DPKG = "931 dpkg --configure -a, since 17:02:11"
# Sentences of steps that failed before anything was begun, the step, and what each is.
BEFORE_ANYTHING = (
    ("Update", "h02: upgrade refused before anything was installed: fleet-agent is on hold (apt-mark)", "packages-held"),
    ("Update", "not touched: fleet-agent is pinned (/etc/apt/preferences.d/agent)", "packages-held"),
    ("Update", "not touched: fleet-agent is excluded (excludepkgs of /etc/dnf/dnf.conf)", "packages-held"),
    ("Update", "not touched: fleet-agent is locked (dnf versionlock)", "packages-held"),
    ("Update", "h02: upgrade refused before anything was installed: fleet-agent would be 1.0 and not 2.0", "package-conflict"),
    ("Update", "h02: upgrade refused before anything was installed: it would remove adduser", "package-conflict"),
    ("Update", "h02: apt-get cannot plan the upgrade: E: Unable to correct problems, you have held broken packages.", "package-conflict"),
    ("Update", "h02: upgrade refused before anything was installed: /var has 3 MiB free, the upgrade needs 40 MiB", "disk-full"),
    ("Update", f"h02: somebody else works there: {DPKG} has dpkg's frontend lock", "lock-held"),
    ("Update", "h02: the upgrade was not begun: dnf upgrade (pid 931, for 9 s) has rpm's lock; could not get lock", "lock-held"),
    ("Update", f"h02: it has the packages and was not started anew: somebody else works there: {DPKG}", "lock-held"),
    (
        "Update",
        "h02: channel http://c/v2 could not be read: E: Could not get lock /var/lib/apt/lists/lock. It is held by process 9",
        "lock-held",
    ),
    ("Update", "h02: dnf cannot plan the upgrade: Waiting for process with pid 931 to finish.", "lock-held"),
    ("Update", "h02 was not touched: others are at work there: 931 dpkg", "lock-held"),
    ("Update", "h02: channel http://c/v2 could not be read: E: Failed to fetch http://c/v2/Packages  404  Not Found", "source-unreadable"),
    (
        "Update",
        "h02: channel http://c/v2 could not be read: Could not connect to c:80 (10.0.0.1). - connect (111: Refused)",
        "source-unreadable",
    ),
    ("Update", "h02: channel http://c/v2 could not be read: Failed to download metadata for repo 'fleet'", "source-unreadable"),
    ("Update", "h02: channel http://c/v2 could not be read: E: Failed to fetch Packages  Hash Sum mismatch", "source-unreadable"),
    ("Update", "h02: channel http://c/v2 could not be read: No module named 'dnf'", "source-unreadable"),
    ("Update", "h02: it refused the token of this attempt: hostrun: 1.17.3.1 is older than 1.17.3.2", "unknown"),
    ("Update", "h02 could not be read: before: 'utf-8' codec can't decode byte 0xfc in position 3", "unknown"),
    ("Update", "h02: what it told was not understood: JSONDecodeError('Expecting value')", "unknown"),
    ("Update", "h02: the time in which a consumer had to claim it is over", "unknown"),
    ("Update", "h02 was not touched: nobody said where its BMC is", "unknown"),
    ("Update", "h02 could not be read: before: ControlPath too long ('/tmp/x' >= 108 bytes)", "unknown"),
    ("Health", "h02 is not healthy on release 2: boot id: got b, want another than an unknown one", "unknown"),
    ("Verify", "h02 is not on release 2: package database: got S.5....T.  /etc/x, want clean", "unknown"),
)


def diagnose(step: str = "Update", says: str = "") -> Job:
    return job("h02", Step.REPAIR, repair=Repair.DIAGNOSE, facts={"failure.step": step, "failure.says": says})


def test_the_table_says_what_each_signature_opens() -> None:
    assert [row[0] for row in ROWS] == [signature.name for signature in table()], "one line for each, in their order"
    for name, *marks in ROWS:
        signature = next(one for one in table() if one.name == name)
        assert {rung for rung, mark in zip(RUNGS, marks, strict=True) if mark == "x"} == set(signature.rungs), name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("spared", [{"update.begun": False}, {"others": DPKG}], ids=["nothing begun", "others at work"])
def test_no_signature_forces_a_host_where_nothing_was_begun_or_others_work(case: Case, spared: Facts) -> None:
    found = Finding(triage(case.fits).signature, spared=True)
    assert not set(found.rungs) & set(FORCE)
    assert bool(found.rungs) == found.recoverable.startswith("true"), "what people alone can mend stays theirs"
    assert not set(triage({**case.fits, **spared}).rungs) & set(FORCE)


def test_control_some_would_force_it() -> None:
    assert any(set(triage({**case.fits, "update.begun": True}).rungs) & set(FORCE) for case in CASES)


@pytest.mark.parametrize(("step", "says", "name"), BEFORE_ANYTHING, ids=[says[:70] for _, says, _ in BEFORE_ANYTHING])
def test_a_host_on_which_nothing_was_begun_is_never_forced(step: str, says: str, name: str) -> None:
    answering = dataclasses.replace(facts(1), runs={})
    found = triage(gather(diagnose(step, says), answering, Observations(TaskReports("ok", facts=answering))))
    assert found.name == name
    assert not set(found.rungs) - {"RetryStep", "CleanDisk"}, "its disk is the host's own fault"
    assert "CleanDisk" not in found.rungs or name == "disk-full"


def test_whether_anything_was_begun_the_wrapper_tells() -> None:
    def begun(run: str, **changes: object) -> object:
        read = facts(1, runs={run: HostRun("done", 0, "b", (1, 17, 3, 1))})
        return gather(dataclasses.replace(diagnose(), **changes), read, Observations()).get("update.begun")  # type: ignore[arg-type]

    assert begun("g17.Update.h02.3.upgrade") is True
    assert begun("g17.Update.h02.3.channel") is False, "reading an index changes no system"
    begun_nothing = HostRun("done", NOTHING_BEGUN, "b", (1, 17, 3, 1))
    assert gather(diagnose(), facts(1, runs={"g17.Update.h02.3.upgrade": begun_nothing}), Observations())["update.begun"] is False
    assert "update.begun" not in gather(diagnose(), facts(1, recorded=False), Observations()), "its record could not be read"
    assert begun("g16.Update.h02.3.upgrade") is False, "that was another grant"
    assert begun("old", facts={"reimageBegun": "g17.3"}) is True
    assert "update.begun" not in gather(diagnose(), None, Observations()), "a host that does not answer has not told"
