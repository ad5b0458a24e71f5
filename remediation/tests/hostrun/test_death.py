"""hostrun killed at any line of any of its processes: the effect happens at most once, and the host is never stuck."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .program import Answer, Bug, Hostrun, ended, wait_until

KEY = "g17.Update.h01.1"
DIES_AT = Path(__file__).with_name("dies_at.py")
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


@pytest.mark.parametrize(("depth", "step"), [(0, 17), (1, 1), (2, 3), (3, 3)], ids=["caller", "between", "supervisor", "command"])
def test_effect_happens_at_most_once_wherever_it_dies(depth: int, step: int, tmp_path: Path) -> None:
    deaths, line = 0, 1
    with ThreadPoolExecutor(max_workers=4) as pool:
        while True:
            lines = range(line, line + 8 * step, step)
            found = list(pool.map(lambda at: die(tmp_path / f"{depth}-{at}", depth, at), lines))
            deaths += sum(found)
            line += 8 * step
            if not all(found) or line > 2000:
                break
    assert deaths >= (2 if depth == 1 else 6)


def test_notices_a_wrapper_that_starts_again(tmp_path: Path) -> None:
    def die_at_every_line() -> None:
        line = 1
        while die(tmp_path / str(line), 2, line, STARTS_AGAIN):
            line += 3

    with pytest.raises(AssertionError, match="ran twice"):
        die_at_every_line()
