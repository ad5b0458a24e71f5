"""Hosts of both families go back to an earlier release when the job says so, and only then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .http_board import HttpBoardServer, job, token_file
from .lab_hosts import Lab, operator

pytestmark = pytest.mark.lab

# Grants of this run, after those of the other lab tests: hosts refuse older ones.
FAMILIES = {"h01": "apt", "h03": "dnf"}
PACKAGES = {"apt": "packages", "dnf": "dnfPackages"}
BOOT = "cat /proc/sys/kernel/random/boot_id"


def jobs(lab: Lab, number: int, step: str, release: dict[str, Any], **more: Any) -> dict[str, dict[str, Any]]:
    """One for each host, by host."""
    return {
        host: job(number, step, host, lab.address(host), release, osFamily=family, **{key: value[host] for key, value in more.items()})
        for host, family in FAMILIES.items()
    }


def same(value: Any) -> dict[str, Any]:
    return dict.fromkeys(FAMILIES, value)


def test_a_host_goes_back_only_by_a_job_that_says_so_and_with_all_its_packages(lab: Lab, tmp_path: Path) -> None:
    before, after = lab.release("1"), lab.release("2")
    first, second, third = lab.grant(), lab.grant(), lab.grant()
    # What a release expects is a sample: the channel is the release, and packages it does not name go back as well.
    sample = {**before, **{field: {"fleet-os": before[field]["fleet-os"]} for field in PACKAGES.values()}}
    with HttpBoardServer() as board:
        process = operator(lab, board.url, token_file(tmp_path), tmp_path / "log")

        def results(published: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
            board.publish(*published.values())
            return {host: board.result(one["id"]) for host, one in published.items()}

        forth = results(jobs(lab, first, "Update", after))
        upgraded = {host: lab.installed(host) for host in FAMILIES}
        boots = {host: lab.ask(host, BOOT) for host in FAMILIES}
        refused = results(jobs(lab, second, "Update", sample))
        untouched = {host: (lab.installed(host), lab.ask(host, BOOT)) for host in FAMILIES}
        back = results(jobs(lab, third, "Update", sample, downgrade=same(True)))
        facts = {host: result["facts"] for host, result in back.items()}
        health = results(jobs(lab, third, "Health", before, round=same(4), facts=facts))
        wrong = results(jobs(lab, third, "Health", after, round=same(5), facts=facts))
        process.terminate()
        assert process.wait(timeout=20) == 0
    for host, family in FAMILIES.items():
        assert forth[host]["outcome"] == "Done", forth[host]
        assert upgraded[host] == after[PACKAGES[family]]
        assert (refused[host]["outcome"], refused[host]["facts"]["changed"]) == ("Failed", "false"), refused[host]
        assert "refused before anything was installed: fleet-os would be 2.0" in refused[host]["message"]
        assert untouched[host] == (upgraded[host], boots[host])
        assert back[host]["outcome"] == "Done", back[host]
        assert lab.installed(host) == before[PACKAGES[family]]
        assert (facts[host]["kernelBefore"], facts[host]["kernel"]) == ("6.2.0.0-fleet", "6.1.0.0-fleet")
        assert facts[host]["bootIdBefore"] == boots[host] != facts[host]["bootId"]
        assert "fleet-agent 2.0" in facts[host]["packagesBefore"]
        assert health[host]["outcome"] == "Done", health[host]
        assert wrong[host]["outcome"] == "Failed", "control: it is judged by what is there"
    assert lab.ask("h01", "apt-cache policy | grep -c '^ *1001 '") == "0", "apt-get of anybody else would not go back"
    assert lab.ask("h01", "ls -A /var/lib/drydock") == "", "nothing is left that says otherwise"
