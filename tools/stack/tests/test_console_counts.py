"""The console counts each host of a rollout once: done, to look at, cancelled, or still under way."""

import subprocess
from pathlib import Path

WEB = Path(__file__).resolve().parents[3] / "web-ui"


def test_an_aborted_rollout_counts_each_host_once() -> None:
    command = ["npx", "vitest", "run", "--no-color", "src/shared/shared.test.ts", "-t", "of an aborted rollout has each host once"]
    ran = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout


def test_the_form_does_not_promise_an_order_that_nobody_keeps() -> None:
    form = (WEB / "src" / "features" / "start" / "StartPage.tsx").read_text()
    assert "in any order: the plan says who goes first" in form
    assert "in the order they should be tried" not in form
