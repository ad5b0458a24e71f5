"""What the pages say to type runs as written, and the end of the demo says what to type next."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

from drydock_stack import demo, instance

ROOT = Path(__file__).resolve().parents[3]
MODULE = re.compile(r"(\S*python3?) -m ([\w.]+)")


def wrong(text: str) -> list[str]:
    """Commands with a module that only runs in an environment which nobody has who reads this."""
    found = MODULE.finditer(text)
    return [one[0] for one in found if not one[1].endswith("tools/python") or importlib.util.find_spec(one[2].rstrip(".")) is None]


def test_every_module_of_a_page_runs_as_written() -> None:
    pages = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    assert {page: faults for page in pages if (faults := wrong((ROOT / page).read_text()))} == {}
    assert subprocess.run([ROOT / "tools" / "python", "-m", "drydock_lab", "--help"], check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize("text", ["`python -m drydock_lab up`", "tools/python -m drydock_nothing"])
def test_control_what_does_not_run_is_found(text: str) -> None:
    assert len(wrong(text)) == 1


def test_the_demo_says_what_to_do_next_before_its_claim(capsys: pytest.CaptureFixture[str]) -> None:
    this = instance.load(ROOT)
    demo.tell(this, {"h01": ""}, ["r7"], {"h01": "Upgraded"}, 0, {}, {})
    *lines, last = capsys.readouterr().out.splitlines()
    assert last.startswith("demo: 1 of 1 hosts upgraded")
    said = "\n".join(lines)
    for word in (
        f"http://127.0.0.1:{this.port('http')}",
        str(this.state / "token" / "admin"),
        "rollout report r7",
        "tools/python -m drydock_lab",
    ):
        assert word in said
