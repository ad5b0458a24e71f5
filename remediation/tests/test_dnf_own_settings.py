"""What the settings, lock files and file systems of a host with dnf may say, and what comes of it: as without it, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from drydock_remediation.channel_on_host import NOTHING_BEGUN
from drydock_remediation.dnf import Dnf
from drydock_remediation.family import Plan
from drydock_remediation.reasons import of_nothing_begun, unreadable
from drydock_remediation.records import Mend, Release
from drydock_remediation.task_reports import TaskReports

from .dnf_host import WANTED, Host
from .lab_hosts import rpm

pytestmark = pytest.mark.lab
RELEASE = Release("2", "http://x", WANTED, "6.2", "dnf")
OLD = dict.fromkeys(WANTED, "1.0-1")
CONF, LOCKS = "etc/dnf/dnf.conf", "etc/dnf/plugins/versionlock.list"
LOCK = "var/lib/dnf/rpmdb_lock.pid"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """On release 1, with release 2 in its channel, which it has read."""
    made = Host(tmp_path)
    assert set(made.plan().installs) == set(WANTED)
    return made


def upgrades(host: Host, before: str = "true") -> None:
    done = host.does("upgrade", before=before)
    assert (done.returncode, host.versions()) == (0, WANTED), done.stderr


OTHERWISE = ("best=False", "skip_if_unavailable=True", "cacheonly=1", "tsflags=test", "exit_on_lock=1", "assumeno=1", "keepcache=0")


def test_settings_of_the_host_s_own_dnf_change_nothing(host: Host) -> None:
    host.write(CONF, "\n".join(["[main]", *OTHERWISE, ""]))
    assert set(host.plan().installs) == set(WANTED)
    upgrades(host)


@pytest.mark.full
def test_control_without_saying_so_dnf_only_tests(host: Host) -> None:
    text = Dnf.program.replace('flag != "test"', "True")
    assert text != Dnf.program
    (host.root / "program").write_text(text)
    host.write(CONF, "[main]\ntsflags=test\n")
    assert (host.does("upgrade").returncode, host.versions()) == (NOTHING_BEGUN, OLD)


@pytest.mark.full
@pytest.mark.parametrize(
    ("file", "text", "by"),
    [
        (CONF, "[main]\nexcludepkgs=fleet-*\n", "excluded (excludepkgs of /etc/dnf/dnf.conf)"),
        (CONF, "[main]\nexclude=other fleet-agent-2.0*\n", "excluded (excludepkgs of /etc/dnf/dnf.conf)"),
        (CONF, "[main]\nincludepkgs=fleet-os other\n", "excluded (not among includepkgs of /etc/dnf/dnf.conf)"),
        ("etc/yum.repos.d/fleet.repo", "[fleet]\nexcludepkgs=other,fleet-agent\n", "excluded (excludepkgs of /etc/yum.repos.d/fleet.repo)"),
        (LOCKS, "# of March\n\nfleet-*-0:1.0-1.*\n", f"locked (dnf versionlock, /{LOCKS})"),
        (LOCKS, "fleet-agent-1.0\n", f"locked (dnf versionlock, /{LOCKS})"),
        (LOCKS, "!fleet-a*\n", f"excluded (dnf versionlock, /{LOCKS})"),
    ],
)
def test_who_keeps_a_package_is_named_whatever_it_is_meant_by(host: Host, file: str, text: str, by: str) -> None:
    """Control: what is about other packages keeps nothing."""
    host.write(file, text.replace("fleet-", "own-"))
    assert "includepkgs" in text or host.plan().held == {}
    host.write(file, text)
    assert (host.plan().held or {})["fleet-agent"] == by


@pytest.mark.full
def test_two_locks_of_one_package_let_through_what_either_names(host: Host) -> None:
    host.write(LOCKS, "fleet-agent-0:1.0-1.*\nfleet-agent-0:2.0-1.*\n")
    assert set(host.plan().installs) == set(WANTED)


@pytest.mark.parametrize(
    "place", [pytest.param("/etc", marks=pytest.mark.full), "/usr", pytest.param("/var/lib/rpm", marks=pytest.mark.full)]
)
def test_a_file_system_that_is_read_only_is_named_before_anything_is_begun(host: Host, place: str) -> None:
    before = f"mount --bind $whole{place} $whole{place}; mount -o remount,ro,bind $whole{place}"
    assert Plan.read(host.does("plan", before=before).stdout).unwritable == {place: "is mounted read-only"}
    done = host.does("upgrade", before=before)
    assert (done.returncode, host.versions()) == (NOTHING_BEGUN, OLD), done.stderr
    reason = of_nothing_begun(TaskReports("ok", NOTHING_BEGUN, err=done.stderr), RELEASE)
    assert (reason.cause, reason.mend) == ("unwritable", Mend.PEOPLE)


GONE = f"echo 4000000 > $whole/{LOCK}"
# The number was given to a process that has begun since.
USED_AGAIN = f"sleep 300 & echo $! > $whole/{LOCK}; touch -d '1 hour ago' $whole/{LOCK}"


@pytest.mark.parametrize("before", [GONE, USED_AGAIN, f"printf '\\0\\0\\0' > $whole/{LOCK}", f": > $whole/{LOCK}"])
def test_a_lock_that_was_left_over_keeps_nobody(host: Host, before: str) -> None:
    host.write(LOCK, "")
    upgrades(host, before)


def test_who_has_the_lock_is_named_whatever_it_is_called_and_nothing_is_begun(host: Host) -> None:
    host.write(LOCK, "")
    done = host.does("upgrade", before=f"sleep 300 & echo $! > $whole/{LOCK}")
    assert (done.returncode, host.versions()) == (NOTHING_BEGUN, OLD)
    assert "lock-held: sleep 300 (pid " in done.stderr
    assert "has dnf's lock of rpm's database" in done.stderr


@pytest.mark.full
def test_a_transaction_that_does_not_pass_its_test_has_begun_nothing(host: Host) -> None:
    """Two packages have a file of one name in them."""
    for name in WANTED:
        rpm(host.root / "channel", name, "2.0", "true", file="/opt/x")
    host.publish()
    assert set(host.plan().installs) == set(WANTED)
    done = host.does("upgrade")
    assert (done.returncode, host.versions()) == (NOTHING_BEGUN, OLD), done.stderr
    reason = of_nothing_begun(TaskReports("ok", NOTHING_BEGUN, err=done.stderr), RELEASE)
    assert (reason.cause, "conflicts" in reason.says) == ("not-begun", True), reason


@pytest.mark.full
def test_control_a_script_that_fails_has_begun_something(host: Host) -> None:
    rpm(host.root / "channel", "fleet-agent", "2.0", "true", "%pre\nexit 1\n")
    host.publish()
    host.plan()
    assert host.does("upgrade").returncode not in (0, NOTHING_BEGUN)


@pytest.mark.full
def test_a_source_that_cannot_be_written_at_the_end_is_no_upgrade_that_was_not_begun(host: Host) -> None:
    """Its folder is a file."""
    host.write("etc/yum.repos.d", "")
    done = host.does("upgrade")
    assert (done.returncode, host.versions()) == (1, WANTED), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.full
def test_a_proxy_that_is_dead_is_named_beside_the_channel(host: Host) -> None:
    host.order = host.order.__class__(**{**host.order.__dict__, "channel": "http://127.0.0.1:9/x"})
    host.write(CONF, "[main]\nproxy=http://me:secret@127.0.0.1:9\nretries=1\n")
    done = host.does("reread")
    assert done.returncode == 1
    assert "it was asked for through the proxy 127.0.0.1:9, as settings of this host say" in done.stderr
    reason = unreadable(RELEASE, done.stderr)
    assert (reason.cause, reason.mend) == ("source-unreadable", Mend.TIME)


@pytest.mark.full
@pytest.mark.parametrize("file", [CONF, "etc/dnf/plugins/versionlock.conf"])
def test_settings_that_nobody_can_read_are_no_matter_of_the_channel(host: Host, file: str) -> None:
    host.write(file, "nonsense\n")
    reason = unreadable(RELEASE, host.does("reread").stderr)
    assert host.does("upgrade").returncode == NOTHING_BEGUN
    assert (reason.cause, reason.mend) == ("settings", Mend.PEOPLE), reason


ODD = (
    "/usr/bin/env",
    "PYTHONHOME=/nowhere",
    "PYTHONPATH=/nowhere",
    "PATH=/nowhere",
    "LANGUAGE=de",
    "LC_ALL=de_DE.UTF-8",
    "RPM_CONFIGDIR=/nowhere",
)


def test_the_environment_and_umask_of_root_change_nothing(host: Host) -> None:
    for verb in ("reread", "plan", "stage", "upgrade"):
        done = host.does(verb, *ODD, before="umask 0777")
        assert done.returncode == 0, done.stderr
    assert host.versions() == WANTED
    assert (host.upper / "etc/yum.repos.d/fleet.repo").stat().st_mode & 0o777 == 0o644
