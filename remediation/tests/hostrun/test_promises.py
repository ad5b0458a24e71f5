"""Every promise of hostrun holds, and every check would notice if it did not."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from . import promises
from .program import SOURCE, Bug, Hostrun

ATTACH = 'if state != "not-started":'
WRONG_ORDER = (
    ("            fence(token)\n            state =", "            state ="),
    ("    prepare_root()\n    give_up = now() + deadline", "    prepare_root()\n    fence(token)\n    give_up = now() + deadline"),
)
NOT_DETACHED = (
    ("            os.setsid()\n            if os.fork()", "            if os.fork()"),
    ("    try:\n        os.setsid()\n        for number", "    try:\n        for number"),
)
CHECKS: list[tuple[Callable[[Hostrun], None], Bug]] = [
    (promises.older_token_is_refused, (("token < stored:", "False:"),)),
    (promises.tokens_compare_as_numbers, (("int(part) for part", "part for part"),)),
    (promises.epoch_comes_first, (("token < stored:", "token[1:] < stored[1:]:"),)),
    (promises.token_is_kept_before_the_command_starts, (("    if token != stored:", "    if False:"),)),
    (promises.old_caller_that_waited_in_line_is_refused, WRONG_ORDER),
    (promises.same_key_at_the_same_time_runs_once, ((ATTACH, 'if state == "finished":'),)),
    (promises.finished_key_answers_again_without_running, ((ATTACH, 'if state == "running":'),)),
    (promises.other_key_waits, ((" if other != run and other.state()", " if False and other.state()"),)),
    (promises.command_outlives_its_caller, NOT_DETACHED),
    (
        promises.killed_supervisor_is_told_after_the_command_ended,
        (("return self._supervised() or self._processes_left()", "return self._supervised()"),),
    ),
    (promises.interrupted_key_never_runs_again, (('"interrupted" if self.started() else', '"not-started" or'),)),
    (promises.reboot_ends_every_command, ((' or read_or_none(self.path / "boot") != boot_id()', ""),)),
    (promises.key_that_never_started_may_start, (('if self.started() else "not-started"', ""),)),
    (promises.late_command_is_ended, (("if not packages_change() and", "if False and"),)),
    (
        promises.late_command_is_left_alone_while_dpkg_works,
        (("    outer, inner = lock_holder", "    return False\n    outer, inner = lock_holder"),),
    ),
    (
        promises.late_command_is_left_alone_between_two_calls_of_dpkg,
        (("    if outer != inner:", "    if inner is not None and outer != inner:"), ("name is None or ", "name and ")),
    ),
    (promises.late_command_is_left_alone_while_rpm_works, (("return dpkg_works() or rpm_works()", "return dpkg_works()"),)),
    (promises.late_download_is_ended, (("    if outer != inner:", "    if True:"),)),
    (promises.key_belongs_to_one_command, ((' or "null") != command:', ' or "null") is ...:'),)),
    (
        promises.unreadable_fence_refuses_everything,
        (("    except Refusal:\n        # Fail closed", "    except Refusal:\n        return None\n        # Fail closed"),),
    ),
]
NAMES = [check.__name__ for check, _ in CHECKS]


@pytest.mark.parametrize("check", [check for check, _ in CHECKS], ids=NAMES)
def test_promise_holds(check: Callable[[Hostrun], None], tmp_path: Path) -> None:
    check(Hostrun(tmp_path / "host"))


@pytest.mark.parametrize(("check", "bug"), CHECKS, ids=NAMES)
def test_check_notices_the_planted_bug(check: Callable[[Hostrun], None], bug: Bug, tmp_path: Path) -> None:
    host = Hostrun(tmp_path / "host", bug)
    assert host.state()["runs"] == {}, "the copy with the bug must still be a program"
    with pytest.raises(AssertionError):
        check(host)


def load() -> types.ModuleType:
    loader = importlib.machinery.SourceFileLoader("hostrun_under_test", str(SOURCE))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


def test_files_survive_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order that survives one: content to the disk, then the name, then the directory."""
    steps: list[str] = []
    fsync, rename = os.fsync, os.rename

    def watched_fsync(descriptor: int) -> None:
        steps.append("sync " + Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        fsync(descriptor)

    def watched_rename(old: Path, new: Path) -> None:
        steps.append("rename " + new.name)
        rename(old, new)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "rename", watched_rename)
    load().write_durably(tmp_path / "token", "1.2.3.4\n")
    assert steps == [f"sync .token.{os.getpid()}", "rename token", f"sync {tmp_path.name}"]


def test_no_deadline_hangs_on_the_wall_clock() -> None:
    text = SOURCE.read_text()
    assert "CLOCK_BOOTTIME" in text
    for wall_clock in ("time.time(", "datetime", "CLOCK_REALTIME"):
        assert wall_clock not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--token", "1.2.3", "--key", "k", "--deadline", "1", "--", "true"),
        ("run", "--token", "1.2.3.-4", "--key", "k", "--deadline", "1", "--", "true"),
        ("run", "--token", "1.2.3.4", "--key", "../../etc", "--deadline", "1", "--", "true"),
        ("run", "--token", "1.2.3.4", "--key", "k", "--deadline", "0", "--", "true"),
        ("run", "--token", "1.2.3.4", "--key", "k", "--deadline", "nan", "--", "true"),
        ("run", "--token", "1.2.3.4", "--key", "k", "--deadline", "1"),
        ("run", "--token", "1.2.3.4", "--key", "k", "--", "true"),
        ("state", "--key", "a/b"),
        ("forget",),
        (),
    ],
)
def test_bad_usage_is_refused_before_anything_is_kept(arguments: tuple[str, ...], tmp_path: Path) -> None:
    host = Hostrun(tmp_path / "host")
    process = host.begin(*arguments)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 64
    assert err.startswith("hostrun: ")
    assert "Traceback" not in err
    assert not host.root.exists()


def test_state_of_a_fresh_host_changes_nothing(tmp_path: Path) -> None:
    host = Hostrun(tmp_path / "host")
    assert host.state() == {"token": None, "boot": "first-boot", "running": [], "runs": {}}
    assert not host.root.exists()


def test_old_runs_are_forgotten_only_behind_the_fence(tmp_path: Path) -> None:
    host = Hostrun(tmp_path / "host", (("RUNS_KEPT = 100", "RUNS_KEPT = 1"),))
    for key in ("a", "b", "c"):
        assert host.run("1.1.1.1", key, host.effect(key)).code == 0
    assert host.run("1.1.1.2", "a", host.effect("a")).code == 0
    assert host.effects() == ["a", "b", "c"]
    assert host.run("1.2.1.1", "d", host.effect("d")).code == 0
    assert list(host.state()["runs"]) == ["c", "d"]
    assert host.run("1.1.1.2", "a", host.effect("a")).code == 75
