"""The demo's claim is worth something only if its line and exit code can say no."""

import os
import re
import subprocess

import pytest
from fleet import Fleet

pytestmark = [pytest.mark.e2e, pytest.mark.full]
LINE = re.compile(r"demo: (\d+) of (\d+) hosts upgraded, (\d+) budget violations, (\d+) of (\d+) requests failed")


def demo(fleet: Fleet, **environment: str) -> tuple[int, tuple[int, ...], str]:
    command = ["make", "-s", "-C", str(fleet.instance.root), "demo"]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=900, check=False)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""
    found = LINE.fullmatch(last)
    assert found, f"no closing line in: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    return done.returncode, tuple(int(number) for number in found.groups()), done.stdout


def test_the_demo_proves_its_claim(fleet: Fleet) -> None:
    code, (upgraded, hosts, violations, failed, requests), output = demo(fleet)
    assert (code, upgraded, hosts, violations, failed) == (0, 10, 10, 0, 0), output
    assert requests > 1000


def test_without_taking_hosts_out_of_rotation_requests_fail(fleet: Fleet) -> None:
    code, (_, _, _, failed, _), output = demo(fleet, DRYDOCK_ADAPTER_SKIP_ROTATION="1")
    assert failed > 0, output
    assert code != 0


def test_a_planted_violation_is_counted_and_fails_the_demo(fleet: Fleet) -> None:
    code, (_, _, violations, _, _), output = demo(fleet, DRYDOCK_DEMO_PLANT="violation")
    assert violations > 0, output
    assert code != 0
