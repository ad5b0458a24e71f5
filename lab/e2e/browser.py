"""The console's tests in a real browser, against a fleet."""

import os
import subprocess

from fleet import RELEASE, Fleet


def in_browser(fleet: Fleet, name: str, hosts: list[str], **more: str) -> None:
    """Runs ``web-ui/e2e/NAME.test.ts``; ``more``: what it has to know besides, as variables of its environment."""
    root, state = fleet.instance.root, fleet.instance.state
    shots = state / "screenshots"
    shots.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "DRYDOCK_URL": fleet.server.url,
        "DRYDOCK_HOSTS": ",".join(hosts),
        "DRYDOCK_RELEASE": RELEASE,
        "DRYDOCK_TOKENS": str(state / "token"),
        "DRYDOCK_STACK": str(root / "tools" / "stack"),
        "DRYDOCK_SHOTS": str(shots),
        "NO_COLOR": "1",
        **more,
    }
    command = ["npx", "vitest", "run", "--config", "e2e/vitest.config.ts", f"{name}.test.ts"]
    done = subprocess.run(command, cwd=root / "web-ui", env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
