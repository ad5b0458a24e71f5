"""A consumer stopped past its lease does nothing more when it wakes; who took over attaches to what still runs on the host."""

import contextlib
import os
import signal
import threading
import urllib.request
from collections.abc import Iterator

import pytest
from consumers import Consumers, plays
from fleet import eventually, unharmed
from hosts_afterwards import lab_says
from reimage_checks import Site, of_both_families

pytestmark = [pytest.mark.e2e, pytest.mark.full, pytest.mark.usefixtures("short_leases")]

HOST = "h09"  # Of the apt family, whose hook this uses.
# apt runs this before each run of dpkg: it notes the run and waits for the test.
HOOK = 'DPkg::Pre-Invoke {"echo ran >> /root/ran; n=0; while [ ! -e /root/gate ] && [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.1; done"; };'


class SlowUpdate:
    """A rollout of one host whose packages are being installed until the test opens the gate."""

    def __init__(self, consumers: Consumers) -> None:
        self.consumers = consumers
        self.fleet = consumers.fleet
        self.boots = self.fleet.boots(HOST)
        consumers.ask(HOST, f"echo '{HOOK}' > /etc/apt/apt.conf.d/99gate")
        self.id = self.fleet.start([HOST], "stopped")
        eventually("dpkg is about to run", lambda: self.ran() == 1, 120)
        self.grant = self.fleet.upgrades(self.id)[HOST]["grant"]

    def ran(self) -> int:
        return len(self.consumers.ask(HOST, "cat /root/ran").split())

    def taken_over(self) -> None:
        """The second attempt has shown its token to the host, so what comes now is in front of older ones."""

        def fenced() -> bool:
            return self.consumers.ask(HOST, "cat /data/drydock/token").endswith(".2")

        eventually("the second attempt holds the host", fenced, 90)

    def judge(self, attempt_that_rebooted: int) -> None:
        """Done, and each effect once, whoever began it."""
        self.consumers.ask(HOST, "touch /root/gate")
        assert self.fleet.ended(self.id, 240)["state"] == "Succeeded"
        runs = self.consumers.runs(HOST, self.grant)
        tokens = {name: [run["token"] for key, run in runs.items() if key.endswith(f".{name}")] for name in ("upgrade", "reboot")}
        assert [token.rpartition(".")[2] for token in tokens["upgrade"]] == ["1"], "begun by the first attempt, and never again"
        assert [token.rpartition(".")[2] for token in tokens["reboot"]] == [str(attempt_that_rebooted)]
        assert self.ran() == self.fleet.package_runs(HOST) == 1, "dpkg ran twice"
        assert self.fleet.boots(HOST) - self.boots == 1, "the host was started anew twice"


def nothing_left_of(cookies: set[bytes]) -> None:
    """Ends the wait red: what a stopped operator had started is gone by the time its job is somebody else's."""
    left = [pid for pid, cookie in plays() if cookie in cookies]
    assert left == [], f"processes of a play without a lease are still there: {left}"


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def test_an_operator_frozen_with_all_it_started_does_nothing_more(consumers: Consumers) -> None:
    """As a paused virtual machine: its ssh wakes in the middle of the update, too, and the play would go on to the reboot."""
    update = SlowUpdate(consumers)
    began, began2 = consumers.log_size("operator"), consumers.log_size("operator2")
    frozen = dict(plays())
    consumers.signal("operator", signal.SIGSTOP)
    try:
        send([*frozen], signal.SIGSTOP)
        consumers.up("operator2")
        consumers.says("operator2", "claimed", began2)
        update.taken_over()
        consumers.ask(HOST, "touch /root/gate")  # What its ssh waits for is there when it wakes.
        eventually("the packages are installed", lambda: consumers.fleet.package_runs(HOST) == 1, 60)
    finally:
        send([*frozen], signal.SIGCONT)
        consumers.signal("operator", signal.SIGCONT)
    consumers.says("operator", "stopped acting: the lease is lost", began)
    cookies = set(frozen.values())
    eventually("its play has ended", lambda: not any(cookie in cookies for _, cookie in plays()), 20)
    update.judge(attempt_that_rebooted=2)


def test_an_operator_stopped_in_the_middle_of_an_update_does_nothing_more(consumers: Consumers) -> None:
    update = SlowUpdate(consumers)
    began, began2 = consumers.log_size("operator"), consumers.log_size("operator2")
    consumers.signal("operator", signal.SIGSTOP)
    cookies = {cookie for _, cookie in plays()}
    assert cookies, "its play runs"
    consumers.up("operator2")
    claimed = consumers.says("operator2", "claimed", began2)
    assert claimed["attempt"] == 2
    nothing_left_of(cookies)  # It sleeps, and yet its play has ended.
    update.taken_over()
    consumers.signal("operator", signal.SIGCONT)  # The command still runs on the host.
    given_up = consumers.says("operator", "stopped acting: the lease is lost", began)
    assert given_up["job"] == claimed["job"]
    assert update.ran() == 1
    update.judge(attempt_that_rebooted=2)
    reported = [line for line in consumers.log("operator", began) if line.get("job") == claimed["job"] and "outcome" in line]
    assert reported == [], "it reported a job that was not its own any more"


def test_an_operator_stopped_in_the_middle_of_a_re_image_does_nothing_more(consumers: Consumers) -> None:
    """It wakes while another goes on with its host, and with the BMC, which compares no tokens."""
    fleet = consumers.fleet
    site = Site(consumers, of_both_families(fleet)[:1])
    began, began2 = consumers.log_size("operator"), consumers.log_size("operator2")
    with fleet.witnessed() as reports:
        rollout = fleet.start(site.hosts, "re-image-stopped", "--mode", "Reimage")
        eventually("the medium is in the drive", lambda: lab_says(fleet, site.hosts[0])["medium"], 120)
        consumers.signal("operator", signal.SIGSTOP)
        try:
            consumers.up("operator2")
            claimed = consumers.says("operator2", "claimed", began2)
        finally:
            consumers.signal("operator", signal.SIGCONT)
        summary = fleet.ended(rollout, 600)
    assert claimed["attempt"] == 2
    assert summary["state"] == "Succeeded", summary
    unharmed(reports)
    site.judge(rollout, closed=False)
    reported = [line for line in consumers.log("operator", began) if line.get("job") == claimed["job"] and "outcome" in line]
    assert reported == [], "it reported a job that was not its own any more"


def test_control_an_operator_that_ignores_its_leases_is_caught_and_still_fenced(consumers: Consumers) -> None:
    """The same check is red; and what saves the host then is its wrapper, what saves the job the board."""
    with consumers.planted("blind_operator.py") as blind:
        update = SlowUpdate(consumers)
        began, began2 = consumers.log_size("planted"), consumers.log_size("operator2")
        blind.send_signal(signal.SIGSTOP)
        cookies = {cookie for _, cookie in plays()}
        consumers.up("operator2")
        consumers.says("operator2", "claimed", began2)
        with pytest.raises(AssertionError, match="processes of a play without a lease are still there"):
            nothing_left_of(cookies)
        update.taken_over()
        blind.send_signal(signal.SIGCONT)
        update.judge(attempt_that_rebooted=2)
        refused = consumers.says("planted", "the result was not taken", began, 120)
        assert "is not the current one" in refused["message"]


@contextlib.contextmanager
def open_request(consumers: Consumers, seconds: int) -> Iterator[threading.Thread]:
    """A user's request that is answered after some seconds: a drain waits for it."""
    url = f"http://{consumers.fleet.lab.addresses()[HOST]}:8101/?ms={seconds * 1000}"
    answers: list[int] = []

    def ask() -> None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=seconds + 30) as answer:
            answer.read()
            answers.append(answer.status)

    user = threading.Thread(target=ask)
    user.start()
    yield user
    user.join(seconds + 40)
    assert answers == [200], "the user's request was cut off"


def in_rotation(consumers: Consumers) -> bool:
    hosts = {host["name"]: host["instances"] for host in consumers.fleet.listed("hosts")}
    return all(instance["health"] == "Healthy" for instance in hosts[HOST])


def test_an_adapter_stopped_in_a_drain_takes_nothing_out_when_it_wakes(consumers: Consumers) -> None:
    """It wakes when the host is long back in rotation: the balancer would obey it, it compares no tokens."""
    began, began2 = consumers.log_size("adapter"), consumers.log_size("adapter2")
    with open_request(consumers, seconds=30):
        rollout = consumers.fleet.start([HOST], "stopped")
        eventually("the drain waits for the request", lambda: not in_rotation(consumers), 60)
        consumers.says("adapter", ".Drain.", began)
        consumers.signal("adapter", signal.SIGSTOP)
        consumers.up("adapter2")
        consumers.says("adapter2", "attempt 2", began2)
    assert consumers.fleet.ended(rollout, 240)["state"] == "Succeeded"
    assert in_rotation(consumers)
    consumers.signal("adapter", signal.SIGCONT)
    consumers.says("adapter", "stopped, the lease of the claim has ended", began)
    mark = consumers.log_size("adapter2")
    eventually("it was looked at once more", lambda: in_rotation(consumers), 10)
    assert consumers.effects(HOST, consumers.fleet.upgrades(rollout)[HOST]["grant"])["Drain.stop"] == 1
    assert [line for line in consumers.log("adapter2", mark) if line["level"] in ("WARN", "ERROR")] == []
