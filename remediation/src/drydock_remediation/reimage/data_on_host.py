"""Proves the data partition of a host: keep BASE ROUND PROVEN [SERVICE...] | kept BASE ROUND | prove BASE ROUND

Runs on the host as `python3 -c TEXT`, with the standard library only. `keep` writes the sum of every data file to
BASE.ROUND.sums and a record of the host to BASE.ROUND, durably and once: what stands there stays. Sums are of data that nobody
changes any more: the services are stopped first, by runit or systemd where these know them, and nothing is kept of what changes
meanwhile or is open for writing. What the round before kept under another system, and PROVEN (- for none) is not that round, it
takes over instead: an installation has been there, and what it left may not be what there was. `kept` prints {"kept",
"earlier"}: the records of the round, and of the last before it. `prove` prints {"same", "files", "sums", "differences"}: the
files as they are now against what was kept. Both change nothing. What Drydock itself keeps on the partition changes all the
time, and is left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

DATA = Path(os.environ.get("DRYDOCK_DATA", "/data"))
OWN = ("drydock", "lost+found")
SERVICES = os.environ.get("DRYDOCK_SERVICES", "/etc/service:/data/service").split(":")  # of runit
DIFFERENCES_SHOWN = 20
STOP_SECONDS = 30


def data_files() -> Iterator[Path]:
    """Other things than files and links are no data."""
    for folder, names, files in os.walk(DATA):
        if folder == str(DATA):
            names[:] = [name for name in names if name not in OWN]
        yield from (path for path in (Path(folder, name) for name in [*files, *names]) if path.is_symlink() or path.is_file())


def sums() -> dict[str, str]:
    """By path; a link by where it leads."""
    found = {}
    for path in data_files():
        if path.is_symlink():
            found[str(path)] = hashlib.sha256(os.readlink(os.fsencode(path))).hexdigest() + " link"
        else:
            with path.open("rb") as file:
                found[str(path)] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def looks() -> dict[str, tuple[int, ...]]:
    """What any change of a file changes."""
    seen = ((str(path), path.lstat()) for path in data_files())
    return {path: (at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for path, at in seen}


def quiet_sums() -> dict[str, str]:
    """Of data that nobody changes, or has in memory still: it would be another thing by the time the host is down."""
    before = looks()
    try:
        found = sums()
    except FileNotFoundError as error:
        somebody_writes([f"{error.filename} is gone"])
    os.sync()
    after = looks()
    if changed := sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)):
        somebody_writes(changed)
    if held := open_for_writing({look[:2]: path for path, look in after.items()}):
        somebody_writes(held)
    return found


def somebody_writes(what: list[str]) -> NoReturn:
    sys.exit(f"something writes to the data partition: {', '.join(what[:DIFFERENCES_SHOWN])}")


def open_for_writing(files: dict[tuple[int, ...], str]) -> list[str]:
    """By device and inode, as containers have names of their own for a file. Processes come and go while they are looked at."""
    held = []
    for process in (one for one in Path("/proc").iterdir() if one.name.isdecimal()):
        for number in listing(process / "fd"):
            try:
                at = number.stat()
                path = files.get((at.st_dev, at.st_ino)) if stat.S_ISREG(at.st_mode) else None
                if path and writes(process / "fdinfo" / number.name):
                    held.append(f"{path}, open in {text_of(f'{process}/comm')} {process.name}")
            except OSError:
                continue
    return sorted(held)


def listing(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def writes(fdinfo: Path) -> bool:
    flags = next(line.split()[1] for line in fdinfo.read_text().splitlines() if line.startswith("flags:"))
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY


def stop(service: str) -> None:
    """A host that was drained has none running. One that neither runit nor systemd knows is somebody else's to stop."""
    folder = next((one for place in SERVICES if ((one := Path(place) / service) / "run").is_file()), None)
    if folder:
        command = ["sv", "-w", str(STOP_SECONDS), "force-stop", str(folder)]
    elif Path("/run/systemd/system").is_dir() and told("systemctl", "is-active", f"{service}.service").returncode == 0:
        command = ["systemctl", "stop", f"{service}.service"]
    else:
        return
    done = told(*command)
    if done.returncode != 0:
        sys.exit(f"{service} does not stop: {(done.stdout + done.stderr).strip()}")


def told(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


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


def keep(base: Path, number: int, proven: str, services: list[str]) -> None:
    file = file_of(base, number)
    if file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    here = {"boot_id": text_of("/proc/sys/kernel/random/boot_id"), "machine_id": text_of("/etc/machine-id"), "round": number}
    before = earlier(base, number)
    if before and str(before["round"]) != proven and before["sums_of"] != here["machine_id"]:
        text = sums_file(file_of(base, int(str(before["round"])))).read_text()
        record = {**before, **here}
    else:
        for service in services:
            stop(service)
        text = listed(quiet_sums())
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
    verb, name, given, *more = sys.argv[1:]
    base, number = Path(name), int(given)
    match verb:
        case "keep":
            keep(base, number, more[0], more[1:])
        case "kept":
            answer: dict[str, object] = {"kept": record_at(file_of(base, number)), "earlier": earlier(base, number)}
            print(json.dumps(answer))  # noqa: T201 - its output is its answer
        case "prove":
            print(json.dumps(prove(file_of(base, number))))  # noqa: T201 - the same
