"""The one Python environment of lab, host operator and tests: made by uv from ``requirements.lock``, shared by checkouts."""

import os
import platform
import sys
from pathlib import Path

from drydock_stack import cache, command, files
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance

UV_VERSION = "0.13.8"
SOURCES = ("lab/src", "remediation/src", "proto/src/main/python")


def ensure(instance: Instance) -> Path:
    """The environment that fits the lock file now; ``.drydock/venv`` points to it afterwards."""
    lock = instance.root / "requirements.lock"
    if not lock.exists():
        raise StackError(f"{lock} is missing.")
    python = f"{platform.python_version()}-{platform.machine()}"
    name = f"python-{python}-{cache.digest(lock.read_bytes(), sys.executable)}"

    def build(target: Path) -> None:
        uv = _uv() / "bin" / "uv"
        log = cache.folder() / "log"
        # Only the interpreter that runs this: uv must not fetch another.
        variables = {"UV_PYTHON_DOWNLOADS": "never", "VIRTUAL_ENV": str(target)}
        command.run(
            "uv venv",
            [str(uv), "venv", "--allow-existing", f"--python={sys.executable}", str(target)],
            log / "venv.log",
            environment=variables,
        )
        sync = [str(uv), "pip", "sync", "--require-hashes", str(lock)]
        command.run("installation of the Python packages", sync, log / "packages.log", environment=variables)

    environment = cache.obtain(name, build, final_path=True)
    files.link(instance.state / "venv", environment)
    return environment


def lock(root: Path) -> None:
    """Resolves ``requirements.in`` for every platform, with hashes and without the name of any registry."""
    options = ["--universal", "--python-version=3.11", "--generate-hashes", "--no-emit-index-url", "--custom-compile-command=make lock"]
    compile_them = [str(_uv() / "bin" / "uv"), "pip", "compile", "--quiet", *options, "requirements.in", "--output-file=requirements.lock"]
    command.run("resolution of the Python packages", compile_them, cache.folder() / "log" / "lock.log", folder=root)


def python(instance: Instance) -> Path:
    return instance.state / "venv" / "bin" / "python"


def variables(root: Path) -> dict[str, str]:
    """What makes our own packages importable, and nothing of the caller's environment."""
    return {"PYTHONPATH": os.pathsep.join(str(root / source) for source in SOURCES), "PYTHONUNBUFFERED": "1"}


def _uv() -> Path:
    """uv itself, by pip, in a small environment of its own."""
    name = f"uv-{UV_VERSION}-{cache.digest(platform.python_version(), platform.machine(), sys.executable)}"

    def build(target: Path) -> None:
        log = cache.folder() / "log"
        command.run("venv for uv", [sys.executable, "-m", "venv", str(target)], log / "uv-venv.log")
        pip = [str(target / "bin" / "pip"), "install", "--quiet", f"uv=={UV_VERSION}"]
        command.run("installation of uv", pip, log / "uv.log", seconds=600)

    return cache.obtain(name, build, final_path=True)
