"""The real program runs on real hosts what policies want by name, and judges them by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import Lab, broken, operator

pytestmark = pytest.mark.lab

KNOWN = ["data-partition", "no-veto"]
UNCHANGED = {"facts": {"bootIdBefore": "x", "changed": "false"}, "instances": [{"id": "web@h", "application": "web", "zone": "z1"}]}


def judged(lab: Lab, folder: Path, wants: dict[str, list[str]], source: Path | None = None) -> dict[str, dict[str, Any]]:
    """What one operator says of the health of these hosts."""
    number = lab.grant()
    with HttpBoardServer(lease_seconds=20) as board:
        for host, checks in wants.items():
            family = "dnf" if host == "h03" else "apt"
            more = {**UNCHANGED, "osFamily": family, "checks": checks}
            board.publish(job(number, "Health", host, lab.address(host), lab.release("1"), round=4, **more))
        process = operator(lab, board.url, token_file(folder), folder / "log", "--once", source=source)
        found = {host: board.result(f"g{number}.Health.{host}.4", 150) for host in wants}
        assert process.wait(timeout=60) == 0
    return found


def wrong(result: dict[str, Any]) -> list[str]:
    return [check["name"] for check in json.loads(result["evidence"])["checks"] if not check["ok"]]


def test_a_host_is_healthy_only_if_it_passes_what_policies_want(lab: Lab, tmp_path: Path) -> None:
    lab.ask("h02", "echo not yet > /data/veto")
    found = judged(lab, tmp_path, {"h01": KNOWN, "h02": KNOWN, "h03": [*KNOWN, "stranger"]})
    assert found["h01"]["outcome"] == "Done", found["h01"]
    assert {f"check {name}" for name in KNOWN} <= {check["name"] for check in json.loads(found["h01"]["evidence"])["checks"]}
    assert (found["h02"]["outcome"], wrong(found["h02"])) == ("Failed", ["check no-veto"])
    assert (found["h03"]["outcome"], wrong(found["h03"])) == ("Unknown", [])
    assert "check stranger, which this host operator does not know" in found["h03"]["message"]


@pytest.mark.full
def test_control_an_operator_that_runs_none_calls_the_same_host_healthy(lab: Lab, tmp_path: Path) -> None:
    lab.ask("h02", "echo not yet > /data/veto")
    bug = ("records.py", 'tuple(record.get("checks") or ())', "()")
    found = judged(lab, tmp_path, {"h02": KNOWN}, broken(tmp_path, bug))
    assert found["h02"]["outcome"] == "Done", found
