"""The installer on a medium of the lab: writes the main partition anew from an image fetched over HTTP, then restarts.

It is the only process of its machine. The data partition is not there. What makes the new partition bootable is
written last: an installation that fails on the way leaves a machine without an operating system, powered off.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import subprocess
import sys
import urllib.request
import uuid
from pathlib import Path
from typing import Any

MEDIUM = Path("/run/medium")
DISK, TARGET = "/dev/vda", Path("/mnt")
FETCH_SECONDS_MAX = 20.0
CHUNK_BYTES = 1 << 18
RESTART, POWER_OFF = 0x01234567, 0x4321FEDC  # of reboot(2)


def say(text: str) -> None:
    sys.stdout.write(f"installer: {text}\n")
    sys.stdout.flush()


def unpack(url: str, sha256: str, folder: Path) -> None:
    """Streams the image to tar; a wrong sum is found when all of it went through, and before anything can boot it."""
    options = ["--extract", "--file=-", f"--directory={folder}", "--numeric-owner", "--xattrs", "--xattrs-include=trusted.overlay.opaque"]
    digest = hashlib.sha256()
    tar = subprocess.Popen(["tar", *options], stdin=subprocess.PIPE)
    assert tar.stdin is not None  # noqa: S101 (asked for above)
    with urllib.request.urlopen(url, timeout=FETCH_SECONDS_MAX) as source, tar.stdin as sink:  # noqa: S310 (the medium's own URL)
        while chunk := source.read(CHUNK_BYTES):
            digest.update(chunk)
            sink.write(chunk)
    if tar.wait() != 0:
        raise RuntimeError(f"the image does not unpack: tar ended with {tar.returncode}")
    if digest.hexdigest() != sha256:
        raise RuntimeError(f"checksum mismatch: the image has {digest.hexdigest()}, the medium says {sha256}")


def install(manifest: dict[str, Any]) -> None:
    subprocess.run(
        ["mkfs.ext4", "-q", "-F", "-m", "0", "-J", "size=4", "-E", "lazy_itable_init=1,nodiscard", "-L", "main", DISK], check=True
    )
    subprocess.run(["mount", DISK, str(TARGET)], check=True)
    upper = TARGET / "upper"
    upper.mkdir()
    (TARGET / "work").mkdir()
    unpack(manifest["url"], manifest["sha256"], upper)
    for name, text in {**manifest["files"], "etc/machine-id": f"{uuid.uuid4().hex}\n"}.items():
        (upper / name).parent.mkdir(parents=True, exist_ok=True)
        (upper / name).write_text(text)
    os.sync()
    (TARGET / "IMAGE").write_text(f"{manifest['base']}\n")
    subprocess.run(["umount", str(TARGET)], check=True)


def main() -> None:
    manifest = json.loads((MEDIUM / "image.json").read_text())
    say(f"writing {manifest['url']} to {DISK}")
    end = RESTART
    try:
        install(manifest)
        say("done")
    except (OSError, RuntimeError, subprocess.SubprocessError) as problem:
        say(f"FAILED: {problem}")
        end = POWER_OFF
    os.sync()
    ctypes.CDLL(None).reboot(end)


if __name__ == "__main__":
    main()
