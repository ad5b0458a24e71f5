"""Builds with a stand-in for Maven that makes one jar and one library for every program, and counts its runs."""

import os
from pathlib import Path

import pytest

from drydock_stack import java, toolchain
from drydock_stack.failure import StackError

MAVEN = f"""#!/bin/sh
set -e
echo run >> maven-runs
for module in {" ".join(map(str, java.MODULES.values()))}; do
  mkdir -p $module/target/lib
  echo own > $module/target/program-1.jar
  echo library > $module/target/lib/library-2.jar
done
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text(MAVEN)
    maven.chmod(0o755)
    monkeypatch.setattr(toolchain, "maven", lambda: str(maven))
    monkeypatch.setattr(toolchain, "java_home", lambda: Path("/jdk"))
    root = tmp_path / "checkout"
    for module in java.MODULES.values():
        (root / module / "src").mkdir(parents=True)
        (root / module / "src" / "Main.java").write_text("class Main {}")
    return root


def _runs(root: Path) -> int:
    return len((root / "maven-runs").read_text().splitlines())


def test_a_build_is_repeated_only_when_a_source_changed(root: Path) -> None:
    first = java.build(root)
    assert java.build(root) == first
    assert _runs(root) == 1

    (root / "server" / "src" / "Main.java").write_text("class Main { }")
    second = java.build(root)
    assert second != first
    (root / "cli" / "src" / "Main.java").unlink()
    third = java.build(root)
    assert third not in (first, second)
    (root / "web-ui").mkdir()
    (root / "web-ui" / "index.html").write_text("<!doctype html>")
    assert java.build(root) not in (first, second, third)
    assert _runs(root) == 4


def test_a_running_program_keeps_its_jars_while_the_next_is_built(root: Path) -> None:
    first = java.build(root)
    (root / "server" / "src" / "Main.java").write_text("class Main { }")
    java.build(root)

    assert (first / "server" / "program-1.jar").read_text() == "own\n"
    assert (first / "server" / "library-2.jar").exists()


def test_only_the_newest_builds_are_kept(root: Path) -> None:
    for number in range(java.KEPT_BUILDS + 3):
        (root / "server" / "src" / "Main.java").write_text("//" * (number + 1))
        newest = java.build(root)
        os.utime(newest, (number, number))

    builds = [path for path in newest.parent.iterdir() if not path.is_symlink()]
    assert len(builds) == java.KEPT_BUILDS
    assert (newest.parent / "current").resolve() == newest


def test_jars_of_a_full_maven_run_are_taken_over_without_another(root: Path) -> None:
    java.build(root)
    (root / "server" / "src" / "Main.java").write_text("class Main { }")
    adopted = java.adopt(root)

    assert _runs(root) == 1
    assert java.build(root) == adopted
    assert _runs(root) == 1


def test_a_build_without_its_jars_is_a_failure_and_leaves_nothing(root: Path, tmp_path: Path) -> None:
    (tmp_path / "bin" / "mvn").write_text("#!/bin/sh\n")

    with pytest.raises(StackError, match="holds 0 jars and no lib folder"):
        java.build(root)

    assert not (root / ".drydock" / "programs" / "current").exists()


def test_a_program_that_was_never_built_says_how(root: Path) -> None:
    with pytest.raises(StackError, match="tools/stack build"):
        java.command_line(root, "server", [], [])
