import dataclasses
from typing import Any

import pytest

from drydock_stack import verdict

HOSTS = [f"h{number:02d}" for number in range(1, 11)]
FINE: dict[str, Any] = {
    "differences": dict.fromkeys(HOSTS, ""),
    "states": dict.fromkeys(HOSTS, "Upgraded"),
    "rollout_code": 0,
    "observed": {"finished": True, "probes": 9000, "fewestProbesPerSecond": 9.5, "withoutBudget": [], "notSeen": [], "violations": 0},
    "traffic": {"finished": True, "requests": 2841, "failed": 0},
}


def test_the_full_claim() -> None:
    result = verdict.judge(**FINE)

    assert result.line == "demo: 10 of 10 hosts upgraded, 0 budget violations, 0 of 2841 requests failed"
    assert result.passed


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"observed": FINE["observed"] | {"violations": 2}}, "10 of 10 hosts upgraded, 2 budget violations, 0 of 2841"),
        ({"traffic": FINE["traffic"] | {"failed": 3}}, "0 budget violations, 3 of 2841 requests failed"),
        ({"traffic": FINE["traffic"] | {"requests": 1000}}, "0 of 1000 requests failed"),
        ({"differences": FINE["differences"] | {"h03": "kernel 6.1"}}, "9 of 10 hosts upgraded"),
        ({"states": FINE["states"] | {"h03": "Quarantined"}}, "9 of 10 hosts upgraded"),
        ({"states": {}}, "0 of 10 hosts upgraded"),
        ({"differences": {}}, "0 of 0 hosts upgraded"),
        ({"rollout_code": 6}, "10 of 10 hosts upgraded"),
        ({"observed": {}}, "0 budget violations"),
        ({"observed": FINE["observed"] | {"finished": False}}, "0 budget violations"),
        ({"observed": FINE["observed"] | {"fewestProbesPerSecond": 4.9}}, "0 budget violations"),
        ({"observed": FINE["observed"] | {"withoutBudget": ["web"]}}, "0 budget violations"),
        ({"observed": FINE["observed"] | {"notSeen": ["web@h01"]}}, "0 budget violations"),
        ({"traffic": FINE["traffic"] | {"finished": False}}, "0 of 2841 requests failed"),
        ({"traffic": FINE["traffic"] | {"notSent": 7}}, "0 of 2841 requests failed"),
        ({"traffic": {}}, "0 of 0 requests failed"),
    ],
)
def test_every_part_of_the_claim_can_fail(changed: dict[str, Any], line: str) -> None:
    result = verdict.judge(**{**FINE, **changed})

    assert line in result.line
    assert not result.passed


def test_a_host_drydock_calls_upgraded_is_asked_itself() -> None:
    result = verdict.judge(**{**FINE, "differences": FINE["differences"] | {"h07": "fleet-os 1.0 instead of 2.0"}})

    assert "h07 is not on the release: fleet-os 1.0 instead of 2.0" in result.problems
    assert dataclasses.replace(result, problems=()).passed is False


def test_the_numbers_of_the_witnesses_are_told() -> None:
    violation = {"minimum": 2, "down": ["search@h04", "search@h05"], "required": 4}
    applications = {"search": {"minimum": 2, "instances": 6, "required": 4, "violations": [violation]}}
    observed = {"probes": 100, "instances": 22, "fewestProbesPerSecond": 9.5, "applications": applications}

    assert verdict.observer_lines(observed) == [
        "observer: 100 probes of 22 instances, each at least 9.5 times a second",
        "  search: never fewer than 2 of 6 up, 4 required, 1 violations",
        "    2 up without search@h04, search@h05",
    ]
    assert "failed: 2 refused, 1 timeout" in verdict.traffic_line({"byKind": {"refused": 2, "timeout": 1}})
