"""The checks of the demo can fail: traffic counts what users would see, the observer what budgets forbid."""

import pytest
from real_lab import RealLab

pytestmark = pytest.mark.lab

APPLICATIONS = ("web", "search", "ads")


@pytest.mark.full
def test_no_request_fails_while_a_host_is_taken_out_rebooted_and_put_back(lab: RealLab) -> None:
    with lab.background("traffic", "--seed", "7", "--rate", "60"), lab.background("observe"):
        for application in APPLICATIONS:
            lab.rotation(f"set server {application}/h01 state drain")
        lab.eventually(lambda: not any(lab.sessions(application, "h01") for application in APPLICATIONS))
        lab.ssh("h01", f"sv -w 20 down {' '.join(APPLICATIONS)}")
        lab.reboot("h01")
        for application in APPLICATIONS:
            lab.rotation(f"set server {application}/h01 state ready")
        served = lab.report("traffic")["byApplication"]["web"]["byHost"]["h01"]
        lab.eventually(lambda: lab.report("traffic")["byApplication"]["web"]["byHost"]["h01"] > served)
    traffic, observer = lab.report("traffic"), lab.report("observer")
    assert traffic["finished"]
    assert traffic["requests"] > 300
    assert (traffic["failed"], traffic["failures"]) == (0, [])
    assert observer["finished"]
    assert observer["applications"]["web"]["minimum"] == 1
    assert observer["fewestProbesPerSecond"] >= 5


@pytest.mark.parametrize(
    "host_fault",
    [pytest.param(("fault", "h01", "service", "web", "down"), marks=pytest.mark.full), ("power", "h01", "reset")],
)
def test_an_instance_stopped_in_rotation_fails_requests(lab: RealLab, host_fault: tuple[str, ...]) -> None:
    with lab.background("traffic", "--seed", "7", "--rate", "60"):
        lab.command(*host_fault)
        lab.eventually(lambda: lab.report("traffic")["failed"] > 0)
        if host_fault[0] == "fault":
            lab.command(*host_fault[:-1], "up")
    traffic = lab.report("traffic")
    assert traffic["failed"] == sum(traffic["byKind"].values()) > 0
    assert traffic["byApplication"]["web"]["failed"] > 0


def test_a_slow_request_finishes_when_its_instance_is_stopped_gracefully(lab: RealLab) -> None:
    ask = "import urllib.request as u; r = u.urlopen('http://127.0.0.1:8101/?ms=3000'); r.read(); print(r.status)"
    lab.ssh("h01", f'python3 -c "{ask}" > /tmp/code & sleep 0.7; sv -w 20 down web; wait')
    assert lab.ssh("h01", "cat /tmp/code; sv -w 20 up web > /tmp/up") == "200"


def test_the_observer_counts_a_planted_violation_of_a_budget_of_one(lab: RealLab) -> None:
    policy = lab.folder / "policies" / "web.yaml"
    original = policy.read_text()
    policy.write_text(original.replace("maxUnavailable: 40%", "maxUnavailable: 1"))
    try:
        with lab.background("observe"):
            lab.command("fault", "h01", "service", "web", "down")
            lab.eventually(lambda: lab.report("observer")["applications"]["web"]["up"] == 1)
            assert lab.report("observer")["violations"] == 0, "one down is within the budget"
            lab.command("fault", "h02", "service", "web", "down")
            lab.eventually(lambda: lab.report("observer")["violations"] == 1)
            lab.command("fault", "h01", "service", "web", "up")
            lab.command("fault", "h02", "service", "web", "up")
    finally:
        policy.write_text(original)
    violation = lab.report("observer")["applications"]["web"]["violations"][0]
    assert violation["down"] == ["web@h01", "web@h02"]
