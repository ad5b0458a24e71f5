import os
import shutil
import subprocess
from pathlib import Path

import pytest

from drydock_stack import preflight, toolchain
from drydock_stack.failure import StackError
from drydock_stack.preflight import Machine

ROOT = Path(__file__).resolve().parents[3]
FINE = Machine("Linux", ("debian",), "x86_64", 0, 100 * 1024**3)


def test_a_debian_machine_and_root_are_fine() -> None:
    assert preflight.unmet(FINE) == []
    assert preflight.unmet(Machine("Linux", ("ubuntu", "debian"), "aarch64", 0, 100 * 1024**3)) == []


def test_everything_that_is_missing_is_said_at_once() -> None:
    problems = " ".join(preflight.unmet(Machine("Darwin", ("unknown",), "riscv64", 501, 1024)))

    for needed in ("Debian 12", "root", "x86_64", "disk"):
        assert needed in problems


@pytest.mark.parametrize("target", ["setup", "demo", "test"])
@pytest.mark.parametrize(("as_if", "needed"), [("fedora", "Debian 12 or newer is needed"), ("user", "root is needed")])
def test_on_another_machine_it_refuses_and_changes_nothing(tmp_path: Path, target: str, as_if: str, needed: str) -> None:
    copy = tmp_path / "checkout"
    shutil.copytree(ROOT / "tools", copy / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Makefile", copy)
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "DRYDOCK_AS_IF": as_if,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    before = sorted(copy.rglob("*"))

    done = subprocess.run(["make", "-s", target], cwd=copy, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 2, done.stderr
    assert needed in done.stderr
    assert "nothing was changed" in done.stderr
    assert sorted(copy.rglob("*")) == before
    assert list(home.iterdir()) == []


def _jdk(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "javac").touch()
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


def test_a_jdk_25_beside_an_older_default_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(_jdk(tmp_path / "jdk-17", "17.0.9")))
    monkeypatch.setattr(toolchain, "JAVA_ROOTS", (str(tmp_path),))
    wanted = _jdk(tmp_path / "some-25-jdk", "25.0.1")

    assert toolchain.java_home() == wanted


def test_without_a_jdk_25_it_says_exactly_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(_jdk(tmp_path / "jdk-17", "17.0.9")))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(toolchain, "JAVA_ROOTS", (str(tmp_path),))

    with pytest.raises(StackError, match=r"No JDK 25 found.*Debian 12 has no package.*JAVA_HOME"):
        toolchain.java_home()


def test_a_go_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho go version go1.25.9 linux/amd64\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(StackError, match=r"go1\.25\.9.*Go 1\.26\.8 or newer"):
        toolchain.go()


@pytest.mark.parametrize(("version", "fine"), [("v20.19.0", True), ("v22.1.0", True), ("v18.20.4", False)])
def test_a_node_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, fine: bool) -> None:
    for name in ("node", "npm"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {version}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    if fine:
        assert toolchain.node() == str(tmp_path / "node")
    else:
        with pytest.raises(StackError, match=r"v18\.20\.4: install Node 20\.19 or newer with npm"):
            toolchain.node()


@pytest.mark.parametrize(("candidate", "packages"), [("20.19.2+dfsg-1", ["nodejs", "npm"]), ("18.20.4+dfsg-1~deb12u3", []), ("(none)", [])])
def test_debians_node_is_installed_only_where_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, candidate: str, packages: list[str]
) -> None:
    policy = tmp_path / "apt-cache"
    policy.write_text(f"#!/bin/sh\necho nodejs:\necho '  Candidate: {candidate}'\n")
    policy.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert preflight.node_packages() == packages


def test_the_package_lists_are_read_without_their_comments(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "apt-packages.txt").write_text("# heading\nmaven  # builds\n\nutil-linux\n")

    assert preflight.wanted_packages(tmp_path) == ["maven", "util-linux"]
