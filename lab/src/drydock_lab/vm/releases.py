"""The releases of virtual machines: those of the lab, each with a real kernel of Debian's."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from drydock_lab.commands import run
from drydock_lab.errors import LabError
from drydock_lab.release import RELEASES, Release

KERNEL = re.compile(r"^linux-image-((\d+)\.(\d+)\.(\d+)-(\d+)-cloud-amd64) ")


@cache
def releases() -> tuple[Release, ...]:
    """The first has the oldest kernel the machine's package sources offer, the last the newest."""
    lines = run(["apt-cache", "search", "--names-only", "^linux-image-.*-cloud-amd64$"]).splitlines()
    found = sorted((tuple(map(int, match.groups()[1:])), match[1]) for line in lines if (match := KERNEL.match(line)))
    if len(found) < len(RELEASES):
        raise LabError(f"virtual machines need {len(RELEASES)} kernels linux-image-*-cloud-amd64, the package sources offer {len(found)}")
    kernels = [found[0], *found[-(len(RELEASES) - 1) :]]
    return tuple(replace(release, kernel=kernel) for release, (_, kernel) in zip(RELEASES, kernels, strict=True))
