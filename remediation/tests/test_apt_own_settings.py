"""What the settings, the clock and the file systems of an apt host may say, and what comes of it: as without it, or refused by name."""

from __future__ import annotations

import dataclasses
import functools
import http.server
import subprocess
import threading
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest

from drydock_remediation.apt import Apt
from drydock_remediation.channel_on_host import CANNOT, KEPT_BACK, NOTHING_BEGUN
from drydock_remediation.family import Plan
from drydock_remediation.reasons import Reason, of_nothing_begun, unreadable
from drydock_remediation.records import Mend, Release
from drydock_remediation.task_reports import TaskReports

from .apt_host import WANTED, Host
from .lab_hosts import package
from .test_apt_own_sources import Quiet

pytestmark = pytest.mark.lab
RELEASE = Release("2", "http://x", WANTED, "6.2")
NEW, OLD = [f"ii {name} 2.0" for name in WANTED], [f"ii {name} 1.0" for name in WANTED]
READ_ONLY = "mount --bind {0} {0}; mount -o remount,ro,bind {0}"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """On release 1, with release 2 in its channel."""
    made = Host(tmp_path)
    (tmp_path / "etc/apt.conf.d").mkdir()
    for name in WANTED:
        made.has(name, "1.0")
        package(tmp_path / "channel", name, "2.0")
    made.publish(tmp_path / "channel")
    return made


def says(host: Host, *lines: str) -> None:
    """The host's own settings of apt."""
    (host.root / "etc/apt.conf.d/own").write_text("".join(f"{line}\n" for line in lines))


def plan(host: Host) -> Plan:
    done = host.does("plan")
    assert done.returncode == 0, done.stderr
    return Plan.read(done.stdout)


def why(host: Host, verb: str = "reread", before: str = "true") -> Reason:
    """What is told of a channel that a host could not read."""
    done = host.does(verb, before=before)
    assert done.returncode != 0
    return unreadable(RELEASE, TaskReports("ok", done.returncode, done.stdout, done.stderr).tail())


# What apt-get does by it: nothing, or another answer than is understood.
DO_NOTHING = [
    'APT::Get::Download-Only "true";',
    'APT::Get::Simulate "true";',
    'APT::Get::Print-URIs "true";',
]
OTHERWISE = [
    *DO_NOTHING,
    'APT::Get::Assume-No "true";',
    'APT::Get::Trivial-Only "true";',
    'APT::Get::Download "false";',
    'APT::Get::AutomaticRemove "true";',
    'APT::Default-Release "bookworm";',
    'APT::Install-Recommends "false";',
    'quiet "2";',
]


def test_settings_of_the_host_s_own_apt_get_change_nothing(host: Host) -> None:
    says(host, *OTHERWISE)
    assert host.refusals(host.does("plan").stdout) == []
    done = host.does("upgrade")
    assert (done.returncode, host.packages()) == (0, NEW), done.stderr


@pytest.mark.full
@pytest.mark.parametrize("setting", DO_NOTHING)
def test_control_without_saying_so_apt_get_does_nothing(host: Host, setting: str) -> None:
    text = Apt.program.replace("        **AS_EVERYWHERE,", "        ")
    assert text != Apt.program
    (host.root / "program").write_text(text)
    says(host, setting)
    assert (host.does("upgrade").returncode, host.packages()) == (NOTHING_BEGUN, OLD)


@pytest.mark.full
@pytest.mark.parametrize("setting", ['APT::Get::Show-Versions "true";', 'quiet "2";'])
def test_what_is_kept_back_is_named_whatever_the_host_has_apt_get_show(host: Host, setting: str) -> None:
    host.has("vendor-tool", "1.0")
    package(host.root / "channel", "vendor-tool", "2.0")
    host.publish(host.root / "channel")
    assert host.run("apt-mark", "hold", "vendor-tool").returncode == 0
    says(host, setting)
    assert plan(host).kept_back == ("vendor-tool",)
    assert host.does("upgrade").stdout.splitlines()[-1] == f"{KEPT_BACK}vendor-tool"


@pytest.mark.full
@pytest.mark.parametrize(
    ("package_", "pin"),
    [
        ("*", 'origin ""'),
        ("/^fleet-a/", "version 1.0"),
        ("fleet-a?ent", 'origin ""'),
        ("src:fleet-agent", "version 1.0"),
        ("other fleet-agent", "release *"),
    ],
)
def test_who_keeps_a_package_is_named_whatever_the_pin_goes_by(host: Host, package_: str, pin: str) -> None:
    """Control: the file of another package's pin beside it keeps nothing, and neither does one that apt does not read."""
    priority = 1001 if pin.startswith("version") else -1
    text = f"Package: {package_}\nPin: {pin}\nPin-Priority: {priority}\n"
    folder = host.root / "etc/preferences.d"
    (folder / "other").write_text("Package: other\nPin: release *\nPin-Priority: -1\n")
    (folder / "keep.bak").write_text(text)
    assert plan(host).held == {}
    (folder / "keep").write_text(text)
    held = plan(host).held or {}
    assert held["fleet-agent"] == "pinned (/etc/apt/preferences.d/keep)"
    assert host.refusals(host.does("plan").stdout)[0] == "fleet-agent is pinned (/etc/apt/preferences.d/keep)"


@pytest.mark.full
def test_one_that_the_release_needs_and_does_not_name_is_named_when_it_is_held(host: Host) -> None:
    host.has("own-lib", "1.0")
    package(host.root / "channel", "own-lib", "2.0")
    package(host.root / "channel", "fleet-agent", "2.0", "Depends: own-lib (= 2.0)\n", again=True)
    host.publish(host.root / "channel")
    assert host.run("apt-mark", "hold", "own-lib").returncode == 0
    refusals = host.refusals(host.does("plan").stdout)
    assert refusals[0] == "fleet-agent would be 1.0 and not 2.0"
    assert "own-lib, which the release does not name, is on hold (apt-mark)" in refusals


@pytest.mark.parametrize(
    "place", [pytest.param("/etc", marks=pytest.mark.full), "/usr", pytest.param("/var/lib/dpkg", marks=pytest.mark.full)]
)
def test_a_file_system_that_is_read_only_is_named_before_anything_is_begun(host: Host, place: str) -> None:
    """Control: the same host without it, above."""
    before = READ_ONLY.format(place)
    told = Plan.read(host.does("plan", before=before).stdout).unwritable or {}
    assert told == {place: "is mounted read-only"}
    done = host.does("upgrade", before=before)
    assert done.returncode == NOTHING_BEGUN, done.stderr
    reason = of_nothing_begun(TaskReports("ok", NOTHING_BEGUN, err=done.stderr), RELEASE)
    assert (reason.cause, reason.mend) == ("unwritable", Mend.PEOPLE)
    assert host.packages() == OLD


@pytest.mark.full
def test_who_mounts_it_to_be_written_to_meanwhile_is_not_refused(host: Host) -> None:
    says(host, 'DPkg::Pre-Invoke {"mount -o remount,rw,bind /usr";};')
    before = READ_ONLY.format("/usr")
    assert Plan.read(host.does("plan", before=before).stdout).unwritable == {}
    assert host.does("upgrade", before=before).returncode == 0
    assert host.packages() == NEW


@pytest.mark.full
def test_a_state_that_cannot_be_kept_is_no_matter_of_the_channel(host: Host) -> None:
    reason = why(host, before=READ_ONLY.format(host.root / "state"))
    assert (reason.cause, reason.mend) == ("unwritable", Mend.PEOPLE), reason


def test_a_hook_that_forbids_the_upgrade_has_begun_nothing(host: Host) -> None:
    says(host, 'DPkg::Pre-Invoke {"echo not today >&2; exit 1";};')
    done = host.does("upgrade")
    assert (done.returncode, host.packages()) == (NOTHING_BEGUN, OLD)
    reason = of_nothing_begun(TaskReports("ok", NOTHING_BEGUN, err=done.stderr), RELEASE)
    assert (reason.cause, reason.mend, "Problem executing scripts DPkg::Pre-Invoke" in reason.says) == ("not-begun", Mend.PEOPLE, True)


@pytest.mark.full
def test_a_source_that_cannot_be_written_at_the_end_is_told_in_one_line(host: Host) -> None:
    """Its folder is a file when all packages are there."""
    package(host.root / "channel", "fleet-os", "2.0", postinst="rmdir /etc/apt/sources.list.d; touch /etc/apt/sources.list.d", again=True)
    host.publish(host.root / "channel")
    done = host.does("upgrade")
    assert (done.returncode, host.packages()) == (CANNOT, NEW)
    assert ("Traceback" in done.stderr, "/etc/apt/sources.list.d" in done.stderr.splitlines()[-1]) == (False, True)


@pytest.mark.full
def test_a_dpkg_that_is_told_to_do_nothing_has_begun_nothing(host: Host) -> None:
    says(host, 'Dpkg::Options {"--no-act";};')
    assert (host.does("upgrade").returncode, host.packages()) == (NOTHING_BEGUN, OLD)


@pytest.mark.full
def test_control_a_script_of_a_package_that_fails_has_begun_something(host: Host) -> None:
    package(host.root / "channel", "fleet-agent", "2.0", preinst="exit 1", again=True)
    host.publish(host.root / "channel")
    assert host.does("upgrade").returncode == 100


@pytest.mark.full
@pytest.mark.parametrize(
    "setting",
    ['APT::Get::Simulate "false"', '#include "nowhere'],
)
def test_settings_that_nobody_can_read_are_no_matter_of_the_channel(host: Host, setting: str) -> None:
    says(host, setting)
    reason = why(host)
    assert (reason.cause, reason.mend) == ("settings", Mend.PEOPLE), reason


@pytest.mark.full
@pytest.mark.parametrize("name", ["APT::Update::Pre-Invoke", "APT::Update::Post-Invoke-Success", "DPkg::Post-Invoke"])
def test_a_hook_that_fails_when_all_is_done_or_is_about_the_host_s_own_lists_changes_nothing(host: Host, name: str) -> None:
    says(host, f'{name} {{"exit 1";}};')
    for verb in ("reread", "plan", "upgrade"):
        done = host.does(verb)
        assert done.returncode == 0, done.stderr
    assert (host.packages(), host.source()) == (NEW, f"deb [trusted=yes] {host.order.channel} ./\n")


@pytest.mark.full
def test_preferences_that_cannot_be_read_are_no_matter_of_the_release(host: Host) -> None:
    (host.root / "etc/preferences.d/broken").write_text("Pin: release *\nPin-Priority: 1\n")
    reason = why(host, "plan")
    assert (reason.cause, reason.mend) == ("settings", Mend.PEOPLE), reason


def test_a_clock_that_is_behind_is_told_as_such(host: Host) -> None:
    """Control: a release file of two hours ago is read."""
    channel = host.root / "channel"
    for hours, code in ((-2, 0), (2, 100)):
        date = formatdate(time() + hours * 3600, usegmt=True)
        dated = ["-o", "APT::FTPArchive::Release::Suite=x", "release", "."]
        text = subprocess.run(["apt-ftparchive", *dated], cwd=channel, capture_output=True, text=True, timeout=30, check=True).stdout
        kept = [line for line in text.splitlines() if not line.startswith("Date:") and not line.endswith(" Release")]
        (channel / "Release").write_text("\n".join([*kept[:1], f"Date: {date}", *kept[1:], ""]))
        assert host.does("reread").returncode == code
    reason = why(host)
    assert (reason.cause, reason.mend) == ("clock", Mend.PEOPLE), reason
    assert reason.says.startswith("its clock is behind ")


@pytest.fixture
def served(host: Host) -> Iterator[Host]:
    """Its channel comes over the network."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(host.root / "channel")))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    host.order = dataclasses.replace(host.order, channel=f"http://127.0.0.1:{server.server_address[1]}")
    yield host
    server.shutdown()
    server.server_close()


@pytest.mark.full
@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ('Acquire::http::Proxy "http://me:secret@127.0.0.1:9";', ()),
        ('Acquire::http::Proxy::127.0.0.1 "http://127.0.0.1:9";', ()),
        ("", ("env", "http_proxy=http://127.0.0.1:9")),
    ],
)
def test_a_proxy_that_is_dead_is_named_beside_the_channel(served: Host, setting: str, words: tuple[str, ...]) -> None:
    assert served.does("reread").returncode == 0, "control: without it the channel is read"
    says(served, setting)
    done = served.does("reread", *words)
    assert done.returncode == 100
    assert "through the proxy 127.0.0.1:9, as settings of this host say" in done.stderr
    assert "secret" not in done.stderr.splitlines()[-1]


@pytest.mark.full
def test_a_connection_that_is_refused_is_a_matter_of_the_channel(host: Host) -> None:
    host.order = dataclasses.replace(host.order, channel="http://127.0.0.1:9/dead")
    reason = why(host)
    assert (reason.cause, reason.mend, "proxy" in reason.says) == ("source-unreadable", Mend.TIME, False)


ODD = (
    "/usr/bin/env",
    "PYTHONHOME=/nowhere",
    "PYTHONPATH=/nowhere",
    "PATH=/nowhere",
    "LANGUAGE=de",
    "LC_ALL=de_DE.UTF-8",
    "APT_CONFIG=/nowhere",
)


def test_the_environment_and_umask_of_root_change_nothing(host: Host) -> None:
    host.order = dataclasses.replace(host.order, state=str(host.root / "another"))
    for verb in ("refresh", "plan", "upgrade"):
        done = host.does(verb, *ODD, "DPKG_ADMINDIR=/nowhere", before="umask 0777")
        assert done.returncode == 0, done.stderr
    assert host.packages() == NEW
    assert (host.root / "etc/sources.list.d/fleet.list").stat().st_mode & 0o777 == 0o644


@pytest.mark.full
def test_control_a_python_that_heeds_it_does_not_even_start(host: Host) -> None:
    assert host.run(*ODD, "/usr/bin/python3", "-c", "pass").returncode != 0
    assert host.run(*ODD, "apt-get", "check").returncode != 0, "and apt-get does not either"
