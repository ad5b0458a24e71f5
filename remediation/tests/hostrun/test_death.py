"""hostrun killed at any line of any of its processes: the effect happens at most once, and the host is never stuck."""

from __future__ import annotations

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from .program import Answer, Bug, Hostrun, ended, wait_until

KEY = "g17.Update.h01.1"
DIES_AT = Path(__file__).with_name("dies_at.py")
SEED = int(os.environ.get("DRYDOCK_TEST_SEED", "0"))
STARTS_AGAIN: Bug = (('"interrupted" if self.started() else', '"not-started" or'),)


def die(directory: Path, depth: int, line: int, bug: Bug = ()) -> bool:
    """Kills one process at the line, then comes back as the next attempt. False once the process has fewer lines."""
    host = Hostrun(directory, bug)
    died = directory / "died"
    script = f"{host.effect('a')}; exit 0"
    options = ("--token", "1.7.1.1", "--key", KEY, "--deadline", "20", "--", "sh", "-c", script)
    first = ended(host.begin("run", *options, launcher=(str(DIES_AT), str(depth), str(line))))
    second = host.run("1.7.1.2", KEY, script)
    where = died.read_text().strip() if died.exists() else "nowhere"
    if depth == 3 and second.code == 137:  # it was killed, and that was seen: a result like any other
        second = dataclasses.replace(second, code=77)
    judge(host, first, second, where)
    return where != "nowhere"


def judge(host: Hostrun, first: Answer, second: Answer, where: str) -> None:
    assert second.code in (0, 77), f"{where}: {first} then {second}"
    assert len(host.effects()) <= 1, f"{where}: ran twice: {first} then {second}"
    if second.code == 0:
        assert host.effects() == ["a"], f"{where}: said done and was not: {first} then {second}"
    wait_until(lambda: not host.state()["running"], f"{where}: quiet host")
    assert host.run("1.8.1.1", "g18.Update.h01.1", "true").code == 0, f"{where}: stuck"


def die_everywhere(directory: Path, depth: int, step: int, bug: Bug = ()) -> int:
    """Dies at every step-th line of a process, beginning with one that the seed chooses; how often it died."""
    deaths = 0
    lines = count(1 + SEED % step, step)
    with ThreadPoolExecutor(max_workers=4) as pool:
        while True:
            found = list(pool.map(lambda at: die(directory / f"seed-{SEED}-line-{at}", depth, at, bug), [next(lines) for _ in range(8)]))
            deaths += sum(found)
            if not all(found):
                return deaths


# hostrun has some 390, 4, 58 and 32 lines on these ways; every change dies at other lines than the last one.
PROCESSES = {"caller": (0, 65, 5), "between": (1, 1, 3), "supervisor": (2, 9, 5), "command": (3, 5, 5)}
FULLY = {"every fifth line of the caller": (0, 5, 60), "every line of the supervisor": (2, 1, 40), "every line of the command": (3, 1, 20)}


@pytest.mark.parametrize(
    ("depth", "step", "deaths"),
    [
        *(pytest.param(*parameters, id=name) for name, parameters in PROCESSES.items()),
        *(pytest.param(*parameters, id=name, marks=pytest.mark.full) for name, parameters in FULLY.items()),
    ],
)
def test_effect_happens_at_most_once_wherever_it_dies(depth: int, step: int, deaths: int, tmp_path: Path) -> None:
    assert die_everywhere(tmp_path, depth, step) >= deaths


def test_notices_a_wrapper_that_starts_again(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="ran twice"):
        die_everywhere(tmp_path, 2, 9, STARTS_AGAIN)
