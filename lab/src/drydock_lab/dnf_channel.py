"""A dnf repository: the packages of one release as rpms, with their metadata."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from drydock_lab.commands import run
from drydock_lab.release import EPOCH, PACKAGING

if TYPE_CHECKING:
    from drydock_lab.packages import Package

# What scripts of rpms need and Debian's own packages bring: no rpm owns the shell of a lab host.
BASE = f"""\
Name: fleet-base
Version: 1.0
Release: {PACKAGING}
Summary: what the lab's base image brings, in the words of rpm
License: none
BuildArch: noarch
Provides: /bin/sh
%description
Has no files.
%files
"""
# The same bytes in every build: no time, host or compiler flags of this machine.
MACROS = {
    "_build_id_links": "none",
    "_buildhost": "lab",
    "_rpmfilename": "%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm",
    "_binary_payload": "w1.gzdio",
    "__os_install_post": "%{nil}",
    "clamp_mtime_to_source_date_epoch": "1",
    "debug_package": "%{nil}",
    "source_date_epoch_from_changelog": "0",
    "use_source_date_epoch_as_buildtime": "1",
}


def build(channel: Path, packages: Iterable[Package], work: Path) -> None:
    for name, spec in (("fleet-base", BASE), *((package.name, _spec(package)) for package in packages)):
        _pack(channel, name, spec, work)
    for file in channel.iterdir():
        os.utime(file, (EPOCH, EPOCH))  # stands in the metadata
    options = ["--quiet", "--no-database", "--simple-md-filenames", "--revision", str(EPOCH), "--set-timestamp-to-revision"]
    run(["createrepo_c", *options, "."], directory=channel)


def _spec(package: Package) -> str:
    files = "".join(f"/{file.relative_to(package.tree)}\n" for file in sorted(package.tree.rglob("*")) if file.is_file())
    return (
        f"Name: {package.name}\nVersion: {package.version}\nRelease: {PACKAGING}\nSummary: {package.description}\n"
        f"License: none\nBuildArch: noarch\n"
        + "".join(f"Requires: {needed}\n" for needed in package.needs)
        + "".join(f"Obsoletes: {name}\n" for name in package.drives_out)
        + f"%description\n{package.description}.\n"
        + f"%install\ncp -a {package.tree}/. %{{buildroot}}/\n"
        + (f"%post\nset -e\n{package.script}" if package.script else "")
        + f"%files\n{files}"
    )


def _pack(channel: Path, name: str, spec: str, work: Path) -> None:
    file = work / f"{name}.spec"
    file.write_text(spec)
    macros = {**MACROS, "_topdir": str(work / "rpm"), "_rpmdir": str(channel)}
    definitions = [word for macro, value in macros.items() for word in ("--define", f"{macro} {value}")]
    run(["rpmbuild", "--quiet", "-bb", *definitions, str(file)], environment={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)})
