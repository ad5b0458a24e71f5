"""Named points at which a test kills this program, as a power cut would: what `CrashPoint` is for the Java programs.

Armed by `DRYDOCK_CRASH_AT`, one name or several with commas between. A point fires once per state directory: it leaves
`run/crash-hit-NAME` there, which tells the test that it was hit and keeps the next operator from dying again.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

ARMED = frozenset(os.environ.get("DRYDOCK_CRASH_AT", "").split(","))
RUN = Path(os.environ.get("DRYDOCK_STATE_DIR", ".drydock")) / "run"


def reach(name: str) -> None:
    """Does nothing, or ends the process without any clean-up."""
    if name in ARMED and _first_hit(name):
        os.kill(os.getpid(), signal.SIGKILL)


def _first_hit(name: str) -> bool:
    RUN.mkdir(parents=True, exist_ok=True)
    try:
        (RUN / f"crash-hit-{name}").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
