"""A checkout of a few files, and one beside it; nothing is built or started."""

import os
from pathlib import Path

import pytest

from drydock_stack import identity, instance, second_checkout
from drydock_stack.processes import Process


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for folder in ("tools", "web-ui/node_modules/library", "server/target", ".git", ".drydock/venv/bin", ".drydock/programs/current"):
        (root / folder).mkdir(parents=True)
    (root / "tools" / "program").write_text("a program")
    os.utime(root / "tools" / "program", (1, 1))
    return root


def test_has_copies_of_the_sources_with_their_times_and_what_was_built_of_them(root: Path) -> None:
    there = second_checkout.checkout(root, "second")

    copy = there / "tools" / "program"
    assert (copy.read_text(), copy.stat().st_mtime) == ("a program", 1)
    assert copy.resolve() != (root / "tools" / "program").resolve()
    assert (there / "web-ui" / "node_modules").resolve() == root / "web-ui" / "node_modules"
    assert (there / ".drydock" / "programs").resolve() == root / ".drydock" / "programs"
    assert not (there / "server" / "target").exists()
    assert not (there / ".git").exists()


def test_builds_for_itself_what_nobody_built_yet(root: Path) -> None:
    (root / ".drydock/programs/current").rmdir()
    (root / ".drydock/programs").rmdir()
    assert not (second_checkout.checkout(root, "second") / ".drydock" / "programs").is_symlink()


def test_has_ports_of_its_own_and_keeps_them(root: Path) -> None:
    there = second_checkout.checkout(root, "second")

    assert instance.load(there).port_base != instance.load(root).port_base
    assert instance.load(there).state == there / ".drydock"


def test_is_made_anew_and_harms_nothing_it_was_linked_to(root: Path) -> None:
    there = second_checkout.checkout(root, "second")
    (there / ".drydock" / "pg").mkdir()
    (root / "tools" / "program").write_text("another program")

    assert second_checkout.checkout(root, "second") == there

    assert not (there / ".drydock" / "pg").exists()
    assert (there / "tools" / "program").read_text() == "another program"
    assert (root / "web-ui" / "node_modules" / "library").is_dir()


def test_what_runs_in_one_is_stopped_with_the_rest_and_before_it_is_made_anew(root: Path) -> None:
    there = second_checkout.checkout(root, "second")
    for stop in (
        lambda: second_checkout.down(root),
        lambda: second_checkout.down(root, "second"),
        lambda: second_checkout.checkout(root, "second"),
    ):
        process = Process(there / ".drydock", "etcd")
        process.start(["sleep", "60"], there, {})
        running = process.running()
        assert running is not None

        stop()

        assert not identity.is_alive(running)


def test_another_one_goes_on(root: Path) -> None:
    process = Process(second_checkout.checkout(root, "first") / ".drydock", "etcd")
    process.start(["sleep", "60"], root, {})
    second_checkout.checkout(root, "second")

    second_checkout.down(root, "second")

    assert process.running() is not None
    second_checkout.down(root)
