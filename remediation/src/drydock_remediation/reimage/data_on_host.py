"""Proves the data partition of a host: keep FILE | prove FILE

Runs on the host as `python3 -c TEXT`, with the standard library only. `keep` writes the sum of every data file to
FILE.sums and a record of the host to FILE, durably and once: what stands there stays. `prove` changes nothing, and prints
{"same", "files", "sums", "differences"}: the files as they are now against what was kept. What Drydock itself keeps on the
partition changes all the time, and is left out.
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


def keep(file: Path) -> None:
    if file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    text = listed(sums())
    write_durably(file.with_name(f"{file.name}.sums"), text)
    manifest = DATA / "manifest.sha256"
    record = {
        "boot_id": text_of("/proc/sys/kernel/random/boot_id"),
        "machine_id": text_of("/etc/machine-id"),
        "sums": digest(text),
        "files": text.count("\n"),
        "manifest": hashlib.sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else "",
    }
    os.sync()
    write_durably(file, json.dumps(record))


def prove(file: Path) -> dict[str, object]:
    kept, now = file.with_name(f"{file.name}.sums").read_text().splitlines(), listed(sums())
    if digest("".join(f"{line}\n" for line in kept)) != json.loads(file.read_text())["sums"]:
        return {"same": False, "files": 0, "sums": digest(now), "differences": [f"{file}.sums is not what was kept"]}
    before, after = set(kept), set(now.splitlines())
    differences = sorted({line.rpartition('" ')[0][1:] for line in before ^ after})
    return {"same": before == after, "files": len(after), "sums": digest(now), "differences": differences[:DIFFERENCES_SHOWN]}


if __name__ == "__main__":
    verb, name = sys.argv[1:]
    if verb == "keep":
        keep(Path(name))
    else:
        print(json.dumps(prove(Path(name))))  # noqa: T201 - its output is its answer
