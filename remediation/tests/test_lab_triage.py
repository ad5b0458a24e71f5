"""The real program diagnoses real hosts: each fault by its signature, and a host that has none by none."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .hostrun.program import wait_until
from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import Lab, operator

pytestmark = [pytest.mark.lab, pytest.mark.full]

# Once the connection that asks for it is over.
STOP_SSHD = "setsid sh -c 'sleep 1; kill -STOP $(cat /etc/service/sshd/supervise/pid)' </dev/null >/dev/null 2>&1 &"
RPM_HOST = "h03"
INSTANCES = [{"id": "web@h", "application": "web", "zone": "z1"}]
RECOVER = {"failure.step": "Recover", "failure.says": "Recover: web/h01 does not become healthy: connection refused"}


@pytest.fixture
def mended(lab: Lab) -> Iterator[Lab]:
    yield lab
    for host in ("h01", "h02", RPM_HOST):
        lab.command("fault", host, "link", "up")
        lab.command("fault", host, "bmc", "ok")
        lab.command("fault", host, "lostMemory", "off")
        lab.command("power", host, "on")
    lab.command("fault", "h01", "service", "web", "up")


def diagnosed(lab: Lab, folder: Path, facts: dict[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
    """What one operator finds the matter with these hosts, each with facts of its own."""
    release = lab.release("2")
    with HttpBoardServer(lease_seconds=20) as board:
        grants = {host: lab.grant() for host in facts}
        for host, known in facts.items():
            more = {"facts": known, "instances": INSTANCES, "osFamily": "dnf" if host == RPM_HOST else "apt", "repair": "Diagnose"}
            board.publish(job(grants[host], "Repair", host, lab.address(host), release, round=6, **more))
        process = operator(lab, board.url, token_file(folder), folder / "log", "--once")
        found = {host: board.result(f"g{grant}.Repair.{host}.6", 200) for host, grant in grants.items()}
        assert process.wait(timeout=60) == 0
    return found


def mute(address: str) -> bool:
    """Whether its sshd takes connections and says nothing."""
    with socket.create_connection((address, 22), timeout=5) as connection:
        connection.settimeout(1)
        try:
            return not connection.recv(1)
        except TimeoutError:
            return True


def signatures(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {host: result["facts"]["diagnosis.signature"] for host, result in found.items()}


def test_a_host_with_nothing_the_matter_fits_no_signature(lab: Lab, tmp_path: Path) -> None:
    found = diagnosed(lab, tmp_path, {"h01": {}, "h02": {}, RPM_HOST: {}})
    assert signatures(found) == dict.fromkeys(("h01", "h02", RPM_HOST), "unknown"), found
    for host, result in found.items():
        facts = json.loads(result["evidence"])["facts"]
        assert (facts["ssh"], facts["bmc.answered"], facts["power"], facts["services.down"]) == ("answers", 6, "On", ""), host
        assert facts["disk.freePercent"] > 5


def test_each_fault_is_known_by_its_signature(mended: Lab, tmp_path: Path) -> None:
    lab = mended
    lab.command("fault", "h01", "service", "web", "down")
    lab.command("fault", "h02", "link", "down")
    lab.command("fault", RPM_HOST, "lostMemory", "on")
    found = diagnosed(lab, tmp_path, {"h01": RECOVER, "h02": {}, RPM_HOST: {"machineMemoryGibBefore": "4.0"}})
    assert signatures(found) == {"h01": "application-does-not-start", "h02": "unreachable", RPM_HOST: "lost-memory"}, found
    assert found["h01"]["facts"]["diagnosis.rungs"] == "RestartService,RetryStep,RollBack"
    assert found[RPM_HOST]["facts"]["diagnosis.recoverable"] == "false"


def test_a_silent_system_is_told_from_one_whose_bmc_is_silent_too(mended: Lab, tmp_path: Path) -> None:
    lab = mended
    lab.command("fault", "h02", "link", "down")
    lab.command("fault", "h02", "bmc", "503")
    lab.ask("h01", STOP_SSHD)
    wait_until(lambda: mute(lab.address("h01")), "sshd greets nobody any more")
    found = diagnosed(lab, tmp_path, {"h01": {}, "h02": {}})
    lab.command("power", "h01", "cut")
    assert signatures(found) == {"h01": "sshd-hang", "h02": "bmc-down"}, found


def test_health_judges_a_host_by_its_hardware_class(lab: Lab, tmp_path: Path) -> None:
    first, second = lab.grant(), lab.grant()
    release = lab.release("1")
    bmc = {"health": "OK", "memoryGib": 4, "processors": 2, "firmware": {"BIOS": "2.1.0"}}
    wants = {"mounts": {"/data": 1}, "services": ["sshd"], "processors": 1, "cards": {"eth0": 10_000}, "bmc": bmc}
    better = {"disks": 999, "cards": {"eth0": 40_000, "eth1": 0}, "bmc": {**bmc, "memoryGib": 8}}
    release["health"] = {"good": wants, "better": {**wants, **better}}
    facts = {"bootIdBefore": "x", "changed": "false"}
    with HttpBoardServer(lease_seconds=20) as board:
        for number, kind in ((first, "good"), (second, "better")):
            more = {"facts": facts, "instances": INSTANCES, "hardwareClass": kind}
            board.publish(job(number, "Health", "h02", lab.address("h02"), release, round=4, **more))
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")
        well, worse = (board.result(f"g{number}.Health.h02.4", 120) for number in (first, second))
        process.terminate()
        assert process.wait(timeout=60) == 0
    assert well["outcome"] == "Done", well
    assert worse["outcome"] == "Failed", worse
    wrong = [check["name"] for check in json.loads(worse["evidence"])["checks"] if not check["ok"]]
    assert wrong == ["disks", "network card eth0", "network card eth1", "BMC: memory in GiB"]
