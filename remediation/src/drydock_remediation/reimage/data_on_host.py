"""Proves the data partition of a host: keep BASE ROUND [PROVEN] | kept BASE ROUND | prove BASE ROUND

Runs on the host as `python3 -c TEXT`, with the standard library only. `keep` writes the sum of every data file to
BASE.ROUND.sums and a record of the host to BASE.ROUND, durably and once: what stands there stays. What the round before kept under
another system, and PROVEN is not that round, it takes over instead: an installation has been there, and what it left may not be
what there was. `kept` prints {"kept", "earlier"}: the records of the round, and of the last before it. `prove` prints {"same",
"files", "sums", "differences"}: the files as they are now against what was kept. Both change nothing. What Drydock itself keeps
on the partition changes all the time, and is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

DATA = Path(os.environ.get("DRYDOCK_DATA", "/data"))
OWN = ("drydock", "lost+found")
DIFFERENCES_SHOWN = 20


def sums() -> dict[str, str]:
    """By path; a link by where it leads. Other things than files and links are no data."""
    found = {}
    for folder, names, files in os.walk(DATA):
        if folder == str(DATA):
            names[:] = [name for name in names if name not in OWN]
        for path in (Path(folder, name) for name in [*files, *names]):
            if path.is_symlink():
                found[str(path)] = hashlib.sha256(os.readlink(os.fsencode(path))).hexdigest() + " link"
            elif path.is_file():
                with path.open("rb") as file:
                    found[str(path)] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def listed(found: dict[str, str]) -> str:
    return "".join(f"{json.dumps(path)} {found[path]}\n" for path in sorted(found))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_durably(file: Path, text: str) -> None:
    temporary = file.with_name(f"{file.name}.new")
    with temporary.open("w") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    temporary.replace(file)
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(folder)
    os.close(folder)


def text_of(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def file_of(base: Path, number: int) -> Path:
    return base.with_name(f"{base.name}.{number}")


def sums_file(file: Path) -> Path:
    return file.with_name(f"{file.name}.sums")


def record_at(file: Path) -> dict[str, object] | None:
    return json.loads(file.read_text()) if file.is_file() else None


def earlier(base: Path, number: int) -> dict[str, object] | None:
    """Of the last round before this one that kept something."""
    names = [file.name.removeprefix(f"{base.name}.") for file in base.parent.glob(f"{base.name}.*")]
    before = [int(name) for name in names if name.isdecimal() and int(name) < number]
    return record_at(file_of(base, max(before))) if before else None


def keep(base: Path, number: int, proven: int) -> None:
    file = file_of(base, number)
    if file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    here = {"boot_id": text_of("/proc/sys/kernel/random/boot_id"), "machine_id": text_of("/etc/machine-id"), "round": number}
    before = earlier(base, number)
    if before and before["round"] != proven and before["sums_of"] != here["machine_id"]:
        text = sums_file(file_of(base, int(str(before["round"])))).read_text()
        record = {**before, **here}
    else:
        text = listed(sums())
        manifest = DATA / "manifest.sha256"
        record = {
            **here,
            "sums_of": here["machine_id"],
            "sums": digest(text),
            "files": text.count("\n"),
            "manifest": hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else "",
        }
    write_durably(sums_file(file), text)
    os.sync()
    write_durably(file, json.dumps(record))


def prove(file: Path) -> dict[str, object]:
    kept, now = sums_file(file).read_text().splitlines(), listed(sums())
    if digest("".join(f"{line}\n" for line in kept)) != json.loads(file.read_text())["sums"]:
        return {"same": False, "files": 0, "sums": digest(now), "differences": [f"{sums_file(file)} is not what was kept"]}
    before, after = set(kept), set(now.splitlines())
    differences = sorted({line.rpartition('" ')[0][1:] for line in before ^ after})
    return {"same": before == after, "files": len(after), "sums": digest(now), "differences": differences[:DIFFERENCES_SHOWN]}


if __name__ == "__main__":
    verb, name, given, *proven = sys.argv[1:]
    base, number = Path(name), int(given)
    match verb:
        case "keep":
            keep(base, number, int(proven[0]) if proven else -1)
        case "kept":
            answer: dict[str, object] = {"kept": record_at(file_of(base, number)), "earlier": earlier(base, number)}
            print(json.dumps(answer))  # noqa: T201 - its output is its answer
        case "prove":
            print(json.dumps(prove(file_of(base, number))))  # noqa: T201 - the same
