"""The console in a real browser: sign-in, start, watch through a restart of the server, done."""

import os
import subprocess

import pytest
from fleet import RELEASE, Fleet

pytestmark = pytest.mark.e2e

HOSTS = 2


def test_a_rollout_is_started_and_watched_in_the_console(fleet: Fleet) -> None:
    root, state = fleet.instance.root, fleet.instance.state
    shots = state / "screenshots"
    shots.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "DRYDOCK_URL": fleet.server.url,
        "DRYDOCK_HOSTS": ",".join(fleet.lab.hosts()[:HOSTS]),
        "DRYDOCK_RELEASE": RELEASE,
        "DRYDOCK_TOKENS": str(state / "token"),
        "DRYDOCK_STACK": str(root / "tools" / "stack"),
        "DRYDOCK_SHOTS": str(shots),
        "NO_COLOR": "1",
    }
    command = ["npx", "vitest", "run", "--config", "e2e/vitest.config.ts"]
    done = subprocess.run(command, cwd=root / "web-ui", env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
