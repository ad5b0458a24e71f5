"""The compilers a build needs, found where machines keep them; and what to do when one is missing."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from drydock_stack.failure import StackError

JAVA_MAJOR = 25
GO_AT_LEAST = (1, 26, 8)
NODE_AT_LEAST = (20, 19)
JAVA_ROOTS = ("/usr/lib/jvm", "/opt", "/usr/local")


def java_home() -> Path:
    """The JDK 25: JAVA_HOME, then the usual folders, then PATH. An older default beside it does no harm."""
    candidates = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    for root in JAVA_ROOTS:
        candidates += sorted(Path(root).glob(f"*{JAVA_MAJOR}*"))
    on_path = shutil.which("javac")
    if on_path:
        candidates.append(Path(on_path).resolve().parent.parent)
    for home in candidates:
        if _is_wanted_jdk(home):
            return home
    raise StackError(
        f"No JDK {JAVA_MAJOR} found (looked at JAVA_HOME, {', '.join(JAVA_ROOTS)} and PATH). Debian 12 has no package of it: "
        f"install Eclipse Temurin {JAVA_MAJOR} (package temurin-{JAVA_MAJOR}-jdk of its own repository) or unpack any JDK "
        f"{JAVA_MAJOR} below /usr/lib/jvm, or set JAVA_HOME.",
        exit_code=2,
    )


def go() -> str:
    """The go command, new enough for the pinned modules."""
    found = shutil.which("go") or ("/usr/local/go/bin/go" if Path("/usr/local/go/bin/go").exists() else None)
    wanted = ".".join(map(str, GO_AT_LEAST))
    if not found:
        raise StackError(f"No Go found: install Go {wanted} or newer and put it on PATH (it builds etcd and Temporal).", exit_code=2)
    # Without a home: even `go version` would write there, and looking must not change a machine.
    nowhere = {**os.environ, "HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent", "GOENV": "off"}
    text = subprocess.run([found, "version"], env=nowhere, capture_output=True, text=True, timeout=60, check=True).stdout
    match = re.search(r"go(\d+)\.(\d+)(?:\.(\d+))?", text)
    if not match or tuple(int(part or 0) for part in match.groups()) < GO_AT_LEAST:
        raise StackError(f"{found} is `{text.strip()}`: Go {wanted} or newer is needed (it builds etcd and Temporal).", exit_code=2)
    return found


def maven() -> str:
    found = shutil.which("mvn")
    if not found:
        raise StackError("No Maven found: install the package maven (3.8.7 or newer).", exit_code=2)
    return found


def node() -> str:
    """The node command, new enough for the console's build, with npm beside it."""
    found = shutil.which("node")
    wanted = ".".join(map(str, NODE_AT_LEAST))
    packages = "Debian 13: packages nodejs and npm; Debian 12: nodejs of NodeSource"
    advice = f"install Node {wanted} or newer with npm ({packages}); it builds the console."
    if not found or not shutil.which("npm"):
        raise StackError(f"No {'npm' if found else 'Node'} found: {advice}", exit_code=2)
    text = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    match = re.fullmatch(r"v(\d+)\.(\d+)\.\d+\S*", text)
    if not match or tuple(map(int, match.groups())) < NODE_AT_LEAST:
        raise StackError(f"{found} is {text}: {advice}", exit_code=2)
    return found


def java_environment() -> dict[str, str]:
    return {"JAVA_HOME": str(java_home())}


def _is_wanted_jdk(home: Path) -> bool:
    try:
        release = (home / "release").read_text()
    except OSError:
        return False
    version = re.search(r'JAVA_VERSION="(\d+)', release)
    return version is not None and int(version[1]) == JAVA_MAJOR and (home / "bin" / "javac").exists()
