"""How each foreign program gets onto this machine: built from pinned sources or unpacked from a pinned jar."""

import platform
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from drydock_stack import cache, command, toolchain
from drydock_stack.failure import StackError

POSTGRES_VERSION = "17.6.0"
SAFE: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4 and newer.
GO_FLAGS = ["-trimpath", "-ldflags", "-s -w"]
_JAR_ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64v8"}


def etcd(root: Path) -> Path:
    """The folder with ``etcd``."""
    return _go_programs(root, "etcd", "go.etcd.io/etcd/server/v3", {"etcd": "go.etcd.io/etcd/server/v3"})


def temporal(root: Path) -> Path:
    """The folder with ``temporal-server`` and ``temporal-sql-tool``, which carries the database schema."""
    module = "go.temporal.io/server"
    programs = {"temporal-server": f"{module}/cmd/server", "temporal-sql-tool": f"{module}/cmd/tools/sql"}
    return _go_programs(root, "temporal", module, programs)


def vale(root: Path) -> Path:
    """The folder with ``vale``, which reads prose. Its parsers are C: it needs the packages of ``tools/vale/apt-packages.txt``."""
    module = "github.com/vale-cli/vale/v3"
    return _go_programs(root, "vale", module, {"vale": f"{module}/cmd/vale"}, cgo=True)


def postgres() -> Path:
    """The folder with ``bin``, ``lib`` and ``share`` of PostgreSQL."""
    architecture = _JAR_ARCHITECTURE.get(platform.machine())
    if architecture is None:
        raise StackError(f"There are no PostgreSQL binaries for {platform.machine()}; Drydock's embedded stack runs on x86_64 and aarch64.")
    artifact = f"embedded-postgres-binaries-linux-{architecture}"
    coordinates = f"io.zonky.test.postgres:{artifact}:{POSTGRES_VERSION}"

    def build(target: Path) -> None:
        jar = download_jar(coordinates, target)
        with zipfile.ZipFile(jar) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".txz")]
            with archive.open(name) as packed, tarfile.open(fileobj=packed, mode="r|xz") as files:
                files.extractall(target, **SAFE)
        jar.unlink()

    return cache.obtain(f"postgres-{POSTGRES_VERSION}-{cache.digest(coordinates)}", build)


def download_jar(coordinates: str, target: Path) -> Path:
    """One artifact by Maven's own client, which knows the registries and mirrors of this machine."""
    _, artifact, version = coordinates.split(":")
    command.run(
        f"download of {artifact}",
        [toolchain.maven(), "-B", "-q", "dependency:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={target}"],
        log=cache.folder() / "log" / f"{artifact}.log",
        seconds=600,
        folder=target,  # Not in the checkout: this must not read or wait for its modules.
        environment=toolchain.java_environment(),
    )
    return target / f"{artifact}-{version}.jar"


def _go_programs(root: Path, name: str, module: str, programs: dict[str, str], cgo: bool = False) -> Path:
    source = root / "tools" / name
    pins = [(source / file).read_bytes() for file in ("go.mod", "go.sum")]
    found = re.search(rf"{re.escape(module)} (v\S+)", pins[0].decode())
    if not found:
        raise StackError(f"{source}/go.mod does not require {module}.")

    def build(target: Path) -> None:
        for program, package in programs.items():
            command.run(
                f"go build {program}",
                [toolchain.go(), "build", *GO_FLAGS, "-o", str(target / program), package],
                log=cache.folder() / "log" / f"{program}.log",
                folder=source,
                environment={"CGO_ENABLED": "1" if cgo else "0", "GOFLAGS": "-mod=readonly -buildvcs=false"},
            )

    return cache.obtain(f"{name}-{found[1].lstrip('v')}-{cache.digest(*pins, platform.machine(), *programs)}", build)
