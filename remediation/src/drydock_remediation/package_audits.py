"""What the audits of a host's packages complain about now and did not before. Pure; imported by what runs on hosts, too."""

from __future__ import annotations

# Says how many there are, which is another number when one more is broken.
COUNTS = ("Error: Check discovered",)


def new_complaints(before: str, now: str) -> str:
    """A paragraph of dpkg is a heading over indented packages, and goes with the last of these; every other line stands for itself."""
    known = {line.strip() for line in before.splitlines()}
    kept: list[str] = []
    heading: list[str] = []
    under_heading = False
    for line in now.splitlines():
        if line.startswith(" "):
            if line.strip() not in known:
                kept += [*heading, line]
                heading = []
            under_heading = True
            continue
        if under_heading or not line.strip():  # what follows belongs to another paragraph
            heading, under_heading = [], False
        if line.strip() and line.strip() not in known and not line.startswith(COUNTS):
            kept.append(line)
        elif line.strip():
            heading.append(line)
    return "\n".join(kept)
