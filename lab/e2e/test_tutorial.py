"""The tutorial, typed as it is written, on a fresh checkout."""

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from drydock_stack import second_checkout

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
SECTIONS = re.compile(r"^## ", re.MULTILINE)
BLOCKS = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS_MAX = 900


def typed(page: str) -> list[list[str]]:
    """For each section the blocks that are to be typed. While one of a section runs, the next may be typed in another terminal."""
    return [blocks for section in SECTIONS.split(page) if (blocks := BLOCKS.findall(section))]


def run(page: str, folder: Path) -> str:
    """What all of them printed.

    Raises:
        AssertionError: one ended with another code than 0.
    """
    said: list[str] = []
    for blocks in typed(page):
        wrong: list[str] = []
        terminals = []
        for block in blocks:
            terminals.append(threading.Thread(target=_shell, args=(block, folder, said, wrong), daemon=True))
            terminals[-1].start()
            # One that follows a rollout is left running, and somebody looks at it from another terminal.
            terminals[-1].join(30 if "--watch" in block else SECONDS_MAX)
        for terminal in terminals:
            terminal.join(SECONDS_MAX)
        assert not wrong, "\n".join(wrong)
    return "\n".join(said)


def _shell(block: str, folder: Path, said: list[str], wrong: list[str]) -> None:
    try:
        command = ["bash", "-euo", "pipefail", "-c", block]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        wrong.append(f"not done in {SECONDS_MAX} s: {block}")
        return
    said.append(done.stdout)
    if done.returncode != 0:
        wrong.append(f"exit code {done.returncode} of:\n{block}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


@pytest.fixture
def fresh() -> Iterator[Path]:
    """A checkout that nobody has used."""
    yield second_checkout.checkout(ROOT, "tutorial")
    second_checkout.down(ROOT, "tutorial")


@pytest.mark.e2e
@pytest.mark.full
def test_it_leads_to_ten_upgraded_hosts_and_no_failed_request(fresh: Path) -> None:
    said = run(PAGE.read_text(), fresh)

    traffic = json.loads((fresh / ".drydock" / "lab" / "traffic.json").read_text())
    assert traffic["failed"] == 0 < traffic["requests"], traffic
    assert re.search(r"^h10 .*Upgraded", said, re.MULTILINE), said[-3000:]


def test_control_a_command_that_fails_is_told(tmp_path: Path) -> None:
    page = "# Page\n\n```\ntrue\n```\n\n## Section\n\n```\nls nothing-here\ntrue\n```\n"
    with pytest.raises(AssertionError, match="nothing-here"):
        run(page, tmp_path)


def test_what_is_to_be_typed_is_found_in_its_sections() -> None:
    sections = typed(PAGE.read_text())
    assert len(sections) == 6
    assert any("--watch" in block for blocks in sections for block in blocks)
