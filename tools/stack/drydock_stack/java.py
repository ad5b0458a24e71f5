"""The Java modules of this checkout: built when their sources changed, run from their jar and the jars beside it."""

import os
from pathlib import Path

from drydock_stack import cache, command, files, toolchain
from drydock_stack.failure import StackError
from drydock_stack.progress import say

PROGRAMS = {
    "server": Path("server"),
    "adapter": Path("scheduler-adapters/static"),
    "cli": Path("cli"),
}
NOT_SOURCES = {"target", ".git", ".drydock", "node_modules", "tools", "lab", "remediation", "docs", "__pycache__"}
QUIET = ["--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"]


def build(root: Path) -> None:
    """Builds all programs if any source changed since the last build of this checkout; one build at a time."""
    state = root / ".drydock"
    with cache.locked(state / "build.lock", "another build of this checkout"):
        stamp = state / "build" / "java"
        present = _sources_digest(root)
        if stamp.exists() and stamp.read_text() == present and all(_jar(root, name) for name in PROGRAMS):
            return
        say("building the Java modules")
        modules = ",".join(str(folder) for folder in PROGRAMS.values())
        command.run(
            "Maven build",
            [toolchain.maven(), "-B", "-q", "-DskipTests", "-pl", modules, "-am", "package"],
            log=state / "log" / "maven.log",
            seconds=1200,
            folder=root,
            environment=toolchain.java_environment(),
        )
        files.write(stamp, present)


def run(root: Path, program: str, main_class: str, options: list[str], arguments: list[str]) -> list[str]:
    """The command line of one built program."""
    jar = _jar(root, program)
    if jar is None:
        raise StackError(f"{PROGRAMS[program]} is not built: run `python3 tools/stack build`.")
    classpath = f"{jar}{os.pathsep}{jar.parent / 'lib'}/*"
    return [str(toolchain.java_home() / "bin" / "java"), *QUIET, *options, "-cp", classpath, main_class, *arguments]


def built_at(root: Path) -> float | None:
    """When the programs were last built; a process started before that runs older code."""
    stamp = root / ".drydock" / "build" / "java"
    return stamp.stat().st_mtime if stamp.exists() else None


def _jar(root: Path, program: str) -> Path | None:
    target = root / PROGRAMS[program] / "target"
    jars = [jar for jar in target.glob("*.jar") if not jar.stem.endswith(("-sources", "-javadoc", "-tests"))]
    return jars[0] if len(jars) == 1 and (target / "lib").is_dir() else None


def _sources_digest(root: Path) -> str:
    """Names, sizes and times of all sources: cheap, and it also notices what was deleted or moved back in time."""
    found = []
    for folder, names, file_names in os.walk(root):
        names[:] = sorted(name for name in names if name not in NOT_SOURCES)
        for name in sorted(file_names):
            path = os.path.join(folder, name)
            if "/src/" in path or name == "pom.xml" or "/.mvn/" in path:
                status = os.lstat(path)
                found.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return cache.digest("\n".join(found), str(toolchain.java_home()))
