"""An apt host takes packages from its release's channel and from nothing else, and keeps its own sources until all has ended well."""

from __future__ import annotations

import dataclasses
import functools
import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from drydock_remediation.apt import Apt
from drydock_remediation.bundle import PYTHON
from drydock_remediation.channel_on_host import KEPT_BACK, NOTHING_BEGUN
from drydock_remediation.family import Plan

from .apt_host import WANTED, Host
from .hostrun.program import wait_until
from .lab_hosts import package

pytestmark = pytest.mark.lab
OWN = "deb [trusted=yes] http://127.0.0.1:9/gone ./\n"
VENDOR = "deb [trusted=yes] file:{} ./\n"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """On release 1; its own source is dead, and a vendor's has something newer of what is installed."""
    made = Host(tmp_path)
    for name in (*WANTED, "vendor-tool"):
        made.has(name, "1.0")
        package(tmp_path / ("channel" if name in WANTED else "vendor"), name, "2.0" if name in WANTED else "7.0")
    made.publish(tmp_path / "vendor")
    made.publish(tmp_path / "channel")
    (tmp_path / "etc/sources.list.d/fleet.list").write_text(OWN)
    (tmp_path / "etc/sources.list.d/vendor.list").write_text(VENDOR.format(tmp_path / "vendor"))
    return made


def files(host: Host) -> dict[str, bytes]:
    """Settings and lists of the host's own apt."""
    return {str(file): file.read_bytes() for name in ("etc", "lib") for file in sorted((host.root / name).rglob("*")) if file.is_file()}


def plan(host: Host) -> Plan:
    done = host.does("plan")
    assert done.returncode == 0, done.stderr
    return Plan.read(done.stdout)


def versions(host: Host) -> dict[str, str]:
    return {line.split()[1]: line.split()[2] for line in host.packages()}


def test_only_the_channel_is_read_and_it_becomes_the_host_s_own_at_the_end(host: Host) -> None:
    before = files(host)
    assert set(plan(host).installs) == set(WANTED), "neither the vendor's package nor the dead source is in the plan"
    assert files(host) == before
    done = host.does("upgrade")
    assert done.returncode == 0, done.stderr
    assert versions(host) == {**WANTED, "vendor-tool": "1.0"}
    assert host.source() == f"deb [trusted=yes] {host.order.channel} ./\n"
    changed = {name for name, text in files(host).items() if before.get(name) != text}
    assert {Path(name).name for name in changed} <= {"fleet.list", "extended_states"}
    assert not host.order.folder.exists(), "nothing of the channel is left"


@pytest.mark.full
def test_control_with_the_host_s_own_sources_the_dead_one_is_met_and_the_vendor_s_package_drifts_along(host: Host) -> None:
    assert host.run("apt-get", "-q", "-o", "APT::Update::Error-Mode=any", "update").returncode == 100
    assert host.run("apt-get", "-q", "update").returncode == 0
    assert "Inst vendor-tool" in host.run("apt-get", "-q", "-s", "upgrade").stdout


@pytest.mark.full
def test_a_channel_that_cannot_be_read_leaves_everything_as_it_was(host: Host) -> None:
    before = files(host)
    for channel in (f"file:{host.root}/nowhere", "http://127.0.0.1:9/dead"):
        host.order = dataclasses.replace(host.order, channel=channel)
        done = host.does("refresh")
        assert done.returncode == 100
        assert channel in done.stderr
    assert files(host) == before


@pytest.mark.full
def test_control_without_its_error_mode_apt_calls_a_dead_channel_success(host: Host) -> None:
    text = Apt.program.replace("APT::Update::Error-Mode", "APT::Update::Another-Mode")
    assert text != Apt.program
    (host.root / "program").write_text(text)
    host.order = dataclasses.replace(host.order, channel="http://127.0.0.1:9/dead")
    assert host.does("refresh").returncode == 0


def test_an_upgrade_that_fails_leaves_the_host_its_own_source(host: Host) -> None:
    package(host.root / "channel", "fleet-agent", "2.0", postinst="exit 1", again=True)
    host.publish(host.root / "channel")
    assert host.does("upgrade").returncode == 100
    assert host.source() == OWN


@pytest.mark.parametrize(
    ("how", "by"),
    [
        ("hold", "on hold (apt-mark)"),
        ("pin", "pinned (/etc/apt/preferences.d/keep)"),
        ("glob", "pinned (/etc/apt/preferences.d/keep)"),
    ],
)
def test_who_keeps_a_package_of_the_release_is_named(host: Host, how: str, by: str) -> None:
    """With the old file of another package's pin beside it, that keeps nothing."""
    name = "fleet-ag*" if how == "glob" else "fleet-agent"
    (host.root / "etc/preferences.d/other").write_text("Package: vendor-tool\nPin: version 1.0\nPin-Priority: 1001\n")
    if how == "hold":
        assert host.run("apt-mark", "hold", "fleet-agent").returncode == 0
    else:
        (host.root / "etc/preferences.d/keep").write_text(f"Package: {name}\nPin: version 1.0\nPin-Priority: 1001\n")
    assert plan(host).held == {"fleet-agent": by}
    text = host.does("plan").stdout
    assert host.refusals(text)[0] == f"fleet-agent is {by}"


@pytest.mark.full
def test_control_without_the_hold_nobody_is_named(host: Host) -> None:
    assert plan(host).held == {}


@pytest.mark.full
def test_an_unnamed_package_that_is_kept_back_is_told_and_stands_in_nobody_s_way(host: Host) -> None:
    package(host.root / "channel", "vendor-tool", "2.0")
    host.publish(host.root / "channel")
    assert host.run("apt-mark", "hold", "vendor-tool").returncode == 0
    assert (plan(host).kept_back, host.refusals(host.does("plan").stdout)) == (("vendor-tool",), [])
    done = host.does("upgrade")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"{KEPT_BACK}vendor-tool"), done.stderr
    assert versions(host) == {**WANTED, "vendor-tool": "1.0"}


@pytest.mark.full
def test_a_byte_that_is_no_text_is_shown_as_one(host: Host) -> None:
    (host.root / "etc/apt.conf.d").mkdir()
    hook = "DPkg::Pre-Invoke {\"printf 'f\\374r'\";};\n"
    (host.root / "etc/apt.conf.d/hook").write_text(hook)
    for verb in ("refresh", "plan", "upgrade"):
        done = host.does(verb)
        assert done.returncode == 0, done.stderr
        assert verb != "upgrade" or "f�r" in done.stdout
    assert versions(host)["fleet-os"] == "2.0"


@pytest.fixture
def broken(host: Host) -> Host:
    """One of its packages was broken before, and will be again whenever it is configured; the host has kept that."""
    package(host.root / "before", "own-tool", "1.0", postinst="exit 1")
    assert host.run("dpkg", "-i", str(host.root / "before/own-tool_1.0_all.deb")).returncode == 1
    audit = host.run("dpkg", "--audit").stdout
    assert "own-tool" in audit
    (host.root / "kept").write_text("".join(f"audit={line}\n" for line in audit.splitlines()))
    return host


def test_a_package_that_was_broken_before_is_not_held_against_the_upgrade(broken: Host) -> None:
    done = broken.does("upgrade")
    assert done.returncode == 0, done.stderr
    assert versions(broken) | {"own-tool": ""} == {**WANTED, "vendor-tool": "1.0", "own-tool": ""}
    assert broken.source() != OWN


@pytest.mark.full
def test_control_one_of_which_nobody_knows_that_it_was_broken_is(broken: Host) -> None:
    (broken.root / "kept").write_text("")
    assert broken.does("upgrade").returncode == 100
    assert broken.source() == OWN


@pytest.mark.full
def test_one_that_is_newly_broken_beside_it_is(broken: Host) -> None:
    package(broken.root / "channel", "fleet-agent", "2.0", postinst="exit 1", again=True)
    broken.publish(broken.root / "channel")
    assert broken.does("upgrade").returncode == 100
    assert broken.source() == OWN


@pytest.fixture
def served(host: Host) -> Iterator[http.server.ThreadingHTTPServer]:
    """Its channel comes over the network."""
    handler = functools.partial(Quiet, directory=str(host.root / "channel"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    host.order = dataclasses.replace(host.order, channel=f"http://127.0.0.1:{server.server_address[1]}")
    assert host.does("refresh").returncode == 0
    yield server
    server.shutdown()
    server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_what_was_staged_needs_no_channel_any_more(host: Host, served: http.server.ThreadingHTTPServer) -> None:
    before = files(host)
    assert host.does("stage").returncode == 0
    assert files(host) == before
    assert len(list((host.order.folder / "archives").glob("*.deb"))) == 2
    served.shutdown()
    served.server_close()
    for verb in ("refresh", "reread"):
        assert host.does(verb).returncode == 0
    assert set(plan(host).installs) == set(WANTED)
    done = host.does("upgrade")
    assert done.returncode == 0, done.stderr
    assert versions(host)["fleet-os"] == "2.0"


def test_an_index_that_was_read_anew_counts_as_staged_only_with_its_packages(host: Host, served: http.server.ThreadingHTTPServer) -> None:
    """Who is cut off while the new index takes the place of the old one leaves none."""
    mark = host.order.folder / "staged"
    for verb, there in (("stage", True), ("reread", False), ("stage", True)):
        assert host.does(verb).returncode == 0
        assert mark.exists() == there, verb


@pytest.mark.full
def test_control_what_was_not_staged_needs_it_and_nothing_is_begun(host: Host, served: http.server.ThreadingHTTPServer) -> None:
    served.shutdown()
    served.server_close()
    assert host.does("reread").returncode == 100
    done = host.does("upgrade")
    assert (done.returncode, done.stderr.splitlines()[-1].startswith("source-unreadable: ")) == (NOTHING_BEGUN, True)
    assert (versions(host)["fleet-os"], host.source()) == ("1.0", OWN)


@pytest.mark.full
def test_what_does_not_fit_is_refused_before_it_is_begun(host: Host) -> None:
    package(host.root / "channel", "fleet-agent", "2.0", f"Installed-Size: {1 << 40}\n", again=True)
    host.publish(host.root / "channel")
    assert len(plan(host).short) == 1
    assert "MiB free, the upgrade needs 21474" in host.refusals(host.does("plan").stdout)[0]


@pytest.fixture
def locked(host: Host, tmp_path: Path) -> Iterator[Host]:
    """Somebody else works with its packages until the test ends."""
    holds = f"""
import fcntl, pathlib, sys
file = open("{tmp_path}/dpkg/lock-frontend", "w")
fcntl.lockf(file, fcntl.LOCK_EX)
pathlib.Path("{tmp_path}/holds").touch()
sys.stdin.read()
"""
    process = subprocess.Popen([PYTHON, "-c", holds], stdin=subprocess.PIPE)
    wait_until((tmp_path / "holds").exists, "the lock is held")
    yield host
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_somebody_who_works_there_is_named_and_nothing_is_begun(locked: Host) -> None:
    before = locked.packages()
    done = locked.does("upgrade")
    assert done.returncode == NOTHING_BEGUN
    assert "lock-held: /usr/bin/python3 -c" in done.stderr
    assert "has dpkg's frontend lock" in done.stderr
    assert (locked.packages(), locked.source()) == (before, OWN)


@pytest.mark.full
def test_periodic_upgrades_are_held_off_while_it_runs_and_given_back_however_it_ends(host: Host) -> None:
    folder = host.root / "etc/apt.conf.d"
    folder.mkdir()
    (folder / "20auto-upgrades").write_text('APT::Periodic::Unattended-Upgrade "1";\n')
    before = files(host)
    asks = f"apt-config dump APT::Periodic::Enable > {host.root}/asked"
    package(host.root / "channel", "fleet-agent", "2.0", postinst=f"{asks}; exit 1", again=True)
    host.publish(host.root / "channel")
    assert host.does("upgrade").returncode == 100
    assert (host.root / "asked").read_text() == 'APT::Periodic::Enable "0";\n'
    assert {name: text for name, text in files(host).items() if "etc/" in name} == {n: t for n, t in before.items() if "etc/" in n}
    assert not host.order.held_off.exists()


@pytest.mark.full
def test_a_program_that_is_killed_leaves_a_record_and_the_next_gives_back(host: Host) -> None:
    (host.root / "etc/apt.conf.d").mkdir()
    host.order.held_off.parent.mkdir(exist_ok=True)
    host.order.held_off.write_text(json.dumps({"boot": "another", "timers": []}))
    (host.root / "etc/apt.conf.d/zz-drydock-holds-off").write_text("left")
    assert host.does("upgrade").returncode == 0
    assert not (host.root / "etc/apt.conf.d/zz-drydock-holds-off").exists()


@pytest.mark.full
def test_what_was_cut_off_between_the_last_package_and_the_source_is_ended_by_the_next(host: Host) -> None:
    """The power goes in that moment: the wrapper calls the run interrupted, and the next round runs it again."""
    archives = [str(host.root / "channel" / f"{name}_2.0_all.deb") for name in WANTED]
    assert host.run("dpkg", "-i", *archives).returncode == 0
    assert host.source() == OWN
    for _ in range(2):
        done = host.does("upgrade")
        assert (done.returncode, host.source()) == (0, f"deb [trusted=yes] {host.order.channel} ./\n"), done.stderr
        host.publish(host.root / "channel")
