"""The kit finds nothing in a controller that keeps the contract, and something in each that does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FLEET = """
s-1-a@h1, s, z1
s-1-b@h2, s, z2
s-2-a@h3, s, z1
s-2-b@h4, s, z2
"""
TOLD = {
    "forgets_an_instance": "is in none of the lists",
    "names_a_stranger": "stranger@h9 was not asked about",
    "lists_twice": "is listed twice",
    "splits_groups": "is split",
    "says_another_word": "the decision is Wait, the lists say",
    "approves_only_if_much_is_down": "but not [",
    "judges_each_group_alone": "but not when these are one group",
    "approves_what_has_passed": "expiresAt has passed",
    "comes_late": "no answer within 2 s",
    "dies_of_the_second_question": "no answer within 2 s",
    "approves_only_once": "another answer when asked again",
    "leaves_a_lock_when_it_is_killed": "no answer",
}


def suite(folder: Path, *command: str, timeout: int = 2) -> subprocess.CompletedProcess[str]:
    fleet = folder / "fleet.csv"
    fleet.write_text(FLEET)
    arguments = ["--topic", "t", "--fleet", str(fleet), "--timeout", str(timeout), "--", *command]
    kit = [sys.executable, "-m", "drydock_controller.conformance", *arguments]
    sources = (HERE.parent / "src", HERE.parents[2] / "proto" / "src" / "main" / "python")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}
    return subprocess.run(kit, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_example_keeps_the_contract(tmp_path: Path) -> None:
    done = suite(tmp_path, sys.executable, "-m", "drydock_controller.shards", "t", timeout=20)
    assert (done.returncode, done.stdout.splitlines()[-1].endswith(" 0 findings")) == (0, True), done


SAMPLE = ("judges_each_group_alone", "leaves_a_lock_when_it_is_killed")
WAYS = [way if way in SAMPLE else pytest.param(way, marks=pytest.mark.full) for way in TOLD]


@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_controller_is_found_out(way: str, tmp_path: Path) -> None:
    done = suite(tmp_path, sys.executable, str(HERE / "wrong.py"), way, "t")
    assert done.returncode == 1, done
    assert TOLD[way] in done.stdout, done
