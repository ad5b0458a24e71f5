"""The Java programs of this checkout: built when a source changed, kept where no later build overwrites them."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from drydock_stack import cache, command, files, toolchain
from drydock_stack.failure import StackError
from drydock_stack.progress import say

MODULES = {"server": Path("server"), "adapter": Path("scheduler-adapters/static"), "cli": Path("cli"), "soak": Path("lock-service/soak")}
MAIN_CLASSES = {
    "server": "dev.drydock.server.Main",
    "adapter": "dev.drydock.adapter.staticlist.StaticAdapterMain",
    "cli": "dev.drydock.cli.Main",
    "soak": "dev.drydock.lock.soak.Main",
}
NOT_SOURCES = {"target", ".git", ".drydock", "node_modules", "testing", "tools", "lab", "remediation", "docs", "test", "__pycache__"}
BUILD_FILES = {"pom.xml", "package-lock.json", "index.html", "vite.config.ts"}
TESTS = (".test.ts", ".test.tsx")
QUIET = ("--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED")
KEPT_BUILDS = 3


def build(root: Path) -> Path:
    """The folder with one folder of jars for each program, built from the sources as they are now.

    A build has a folder of its own (``.drydock/programs/DIGEST``): a running program keeps its jars when the next one
    is built. ``programs/current`` points to the newest; the CLI's launcher follows it.
    """
    return _obtain(root, lambda: _run_maven(root))


def adopt(root: Path) -> Path:
    """Takes the jars that a full Maven run of these sources has just made, instead of building them again."""
    return _obtain(root, lambda: None)


def command_line(root: Path, program: str, options: list[str], arguments: list[str]) -> list[str]:
    """How to run a program of the current build."""
    return [*virtual_machine(root, program), *options, MAIN_CLASSES[program], *arguments]


def virtual_machine(root: Path, program: str) -> list[str]:
    """What starts a JVM with the classes of a program of the current build; which one is run, and how, is left to say."""
    folder = (root / ".drydock" / "programs" / "current").resolve()
    if not (folder / program).is_dir():
        raise StackError(f"{program} is not built: run `python3 tools/stack build`.")
    java = Path((folder / "java-home").read_text().strip()) / "bin" / "java"
    return [str(java), *QUIET, "-cp", f"{folder / program}/*"]


def _obtain(root: Path, make_jars: Callable[[], None]) -> Path:
    programs = root / ".drydock" / "programs"
    with cache.locked(root / ".drydock" / "build.lock", "another build of this checkout"):
        home = toolchain.java_home()
        target = programs / _sources_digest(root, home)
        if not target.is_dir():
            make_jars()
            unfinished = programs / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            for program, module in MODULES.items():
                _collect(root / module / "target", unfinished / program)
            files.write(unfinished / "java-home", f"{home}\n")
            unfinished.rename(target)
        _point_current(programs, target)
    return target


def _run_maven(root: Path) -> None:
    say("building the Java modules")
    for module in MODULES.values():  # No older version of a library, or of the program, may stay beside the new one.
        shutil.rmtree(root / module / "target" / "lib", ignore_errors=True)
        for jar in (root / module / "target").glob("*.jar"):
            jar.unlink()
    command.run(
        "Maven build",
        [toolchain.maven(), "-B", "-q", "-Dmaven.test.skip=true", "-pl", ",".join(map(str, MODULES.values())), "-am", "package"],
        log=root / ".drydock" / "log" / "maven.log",
        seconds=1200,
        folder=root,
        environment=toolchain.java_environment(),
    )


def _collect(target: Path, folder: Path) -> None:
    jars = [jar for jar in target.glob("*.jar") if not jar.stem.endswith(("-sources", "-javadoc", "-tests"))]
    if len(jars) != 1 or not (target / "lib").is_dir():
        raise StackError(
            f"{target} holds {len(jars)} jars and {'a' if (target / 'lib').is_dir() else 'no'} lib folder; one jar and lib were expected."
        )
    folder.mkdir(parents=True)
    for jar in [*jars, *(target / "lib").glob("*.jar")]:
        shutil.copy2(jar, folder / jar.name)


def _point_current(programs: Path, target: Path) -> None:
    files.link(programs / "current", Path(target.name))
    os.utime(target)
    builds = sorted((path for path in programs.iterdir() if path.is_dir() and not path.is_symlink()), key=lambda path: path.stat().st_mtime)
    for old in builds[:-KEPT_BUILDS]:
        shutil.rmtree(old)


def _sources_digest(root: Path, home: Path) -> str:
    """Names, sizes and times of all sources: cheap, and it also notices what was deleted or moved back in time. A copy that
    kept the times has the digest of its original."""
    found = []
    for folder, names, file_names in os.walk(root, followlinks=True):
        names[:] = sorted(name for name in names if name not in NOT_SOURCES)
        for name in sorted(file_names):
            path = os.path.join(folder, name)
            if name.endswith(TESTS):
                continue
            inside = f"/{os.path.relpath(path, root)}"
            if "/src/" in inside or name in BUILD_FILES or "/.mvn/" in inside:
                status = Path(path).stat()
                found.append(f"{inside} {status.st_size} {status.st_mtime_ns}")
    return cache.digest("\n".join(found), str(home))
