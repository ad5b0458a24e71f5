"""Checks that policies want by name: their files, how they run, and what a host is judged by."""

from __future__ import annotations

import base64
import dataclasses
import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from drydock_remediation import verdict
from drydock_remediation.health import custom
from drydock_remediation.health.custom import HostCheck, Ran
from drydock_remediation.observations import Observations
from drydock_remediation.player import AnsiblePlayer, read_report
from drydock_remediation.records import Claim, Outcome, Result, Step
from drydock_remediation.settings import SettingsError, read_settings

from . import on_host
from .fakes import facts, job
from .hostrun.program import wait_until
from .test_player import SETTINGS
from .test_verdict import EARLIER, failed_checks

OPEN = custom.read("{command: [curl, -fsS, 'http://127.0.0.1/'], want: 'open|opening'}")
SWAP = custom.read("{command: [no-swap], seconds: 5}")


@pytest.fixture
def module() -> ModuleType:
    return on_host.load("run_checks")


def judged(ran: Mapping[str, Ran] | None, known: Mapping[str, HostCheck], *names: str, **changes: Any) -> Result:
    health = job(step=Step.HEALTH, facts=EARLIER, checks=names)
    return verdict.judge(health, facts(2, **changes), Observations(checks=ran), known)


WELL = {"open": Ran(0, " open\n", ""), "no-swap": Ran(0, "", "")}
BOTH = {"open": OPEN, "no-swap": SWAP}


def test_a_host_that_passes_is_healthy() -> None:
    result = judged(WELL, BOTH, "open", "no-swap")
    assert result.outcome is Outcome.DONE, result.message
    assert {"check open", "check no-swap"} <= {check["name"] for check in json.loads(result.evidence)["checks"]}


@pytest.mark.parametrize(
    ("ran", "says"),
    [
        (Ran(0, "open, but not quite", ""), "check open: got exit code 0, output 'open, but not quite', want exit code 0, output like"),
        (Ran(1, "open", ""), "check open: got exit code 1"),
        (Ran(None, "", "no end within 10 s"), "check open: got no end within 10 s"),
    ],
)
def test_what_it_does_not_pass_makes_it_unhealthy(ran: Ran, says: str) -> None:
    result = judged(WELL | {"open": ran}, BOTH, "open", "no-swap")
    assert result.outcome is Outcome.FAILED
    assert failed_checks(result) == ["check open"] and says in result.message
    assert result.facts["healthy"] == "false"


def test_without_a_want_only_the_exit_code_counts() -> None:
    assert judged({"no-swap": Ran(0, "whatever", "")}, BOTH, "no-swap").outcome is Outcome.DONE
    assert judged({"no-swap": Ran(3, "", "")}, BOTH, "no-swap").outcome is Outcome.FAILED


def test_a_host_nobody_could_judge_is_not_updated() -> None:
    update = job(checks=("open", "no-swap"))
    assert custom.unjudged(update, BOTH) == []
    assert custom.unjudged(update, {"open": OPEN}) == [
        "its policies want it to pass no-swap afterwards, which this host operator does not know"
    ]
    assert custom.unjudged(job(step=Step.HEALTH, checks=("no-swap",)), {}) == [], "it is judged, as Unknown"


def test_a_check_nobody_knows_or_that_did_not_run_is_no_health() -> None:
    unknown = judged(WELL, {"open": OPEN}, "open", "no-swap")
    assert unknown.outcome is Outcome.UNKNOWN
    assert "check no-swap, which this host operator does not know" in unknown.message
    for ran in ({"open": WELL["open"]}, {}, None):
        silent = judged(ran, BOTH, "open", "no-swap")
        assert silent.outcome is Outcome.UNKNOWN and "check no-swap: it did not run" in silent.message
    sick = judged(None, {}, "open", audit="half configured")
    assert sick.outcome is Outcome.FAILED, "what is known to be wrong is told"


def test_who_wants_none_is_asked_none() -> None:
    assert judged(None, BOTH).outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "no YAML"),
        ("command: true", "command is no list of words"),
        ("command: []", "command is no list of words"),
        ("command: [sh, -c, 1]", "quote what YAML takes for something else"),
        ("{command: [x], seconds: 0}", "seconds is 0, must be a whole number from 1 to 60"),
        ("{command: [x], seconds: 61}", "seconds is 61"),
        ("{command: [x], seconds: true}", "seconds is True"),
        ("{command: [x], want: 1}", "want is 1, must be a text"),
        ("{command: [x], want: '('}", "is no regular expression"),
        ("{command: [x], expect: y}", "nothing else is wanted"),
        ("{seconds: 3}", "a mapping with command"),
    ],
)
def test_a_file_that_is_wrong_is_named_at_start(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "good.yaml").write_text("command: ['true']\n")
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"^bad\.yaml: ") as refused:
        custom.read_folder(tmp_path)
    assert says in str(refused.value)


def test_checks_are_named_by_their_files(tmp_path: Path) -> None:
    (tmp_path / "no-swap.yaml").write_text("command: ['true']\n")
    (tmp_path / "README.md").write_text("not one of them")
    assert custom.read_folder(tmp_path) == {"no-swap": HostCheck(("true",), 10, None)}
    (tmp_path / "default.yaml").write_text("command: ['true']\n")
    with pytest.raises(ValueError, match=r"default.yaml: this name stands for what every Health looks at"):
        custom.read_folder(tmp_path)
    (tmp_path / "default.yaml").unlink()
    (tmp_path / "No_Swap.yaml").write_text("command: ['true']\n")
    with pytest.raises(ValueError, match=r"No_Swap.yaml: a check's name has lower-case letters"):
        custom.read_folder(tmp_path)


def test_the_operator_does_not_start_with_a_wrong_folder(tmp_path: Path) -> None:
    ssh = SETTINGS.ssh
    for file in (ssh.key_file, ssh.known_hosts_file):
        (tmp_path / file.name).write_text("")
    record = {"user": "root", "keyFile": str(tmp_path / ssh.key_file.name), "knownHostsFile": str(tmp_path / ssh.known_hosts_file.name)}
    (tmp_path / "ssh.json").write_text(json.dumps(record))
    (tmp_path / "token").write_text("secret")
    names = {"DRYDOCK_URL": "http://x", "DRYDOCK_TOKEN_FILE": str(tmp_path / "token"), "DRYDOCK_SSH_CONFIG": str(tmp_path / "ssh.json")}
    with pytest.raises(SettingsError, match=r"DRYDOCK_HEALTH_CHECKS: .*/none is not a folder"):
        read_settings({**names, "DRYDOCK_HEALTH_CHECKS": str(tmp_path / "none")})
    folder = tmp_path / "checks"
    folder.mkdir()
    (folder / "swap.yaml").write_text("command: ['true']\n")
    assert read_settings({**names, "DRYDOCK_HEALTH_CHECKS": str(folder)}).health_checks == {"swap": HostCheck(("true",), 10, None)}
    (folder / "swap.yaml").write_text("run: me")
    with pytest.raises(SettingsError, match=r"DRYDOCK_HEALTH_CHECKS: .*: swap.yaml: a mapping with command"):
        read_settings({**names, "DRYDOCK_HEALTH_CHECKS": str(folder)})
    assert read_settings(names).health_checks == {}


def asked(step: Step, **known: HostCheck) -> dict[str, Any]:
    """What the host is told to run."""

    player = AnsiblePlayer(dataclasses.replace(SETTINGS, health_checks=known))
    claim = Claim(job(step=step, checks=("open", "stranger")), "c", 1, "1.17.3.1", 30, 0.0)
    text = player._host_variables(Path("/x"), step, claim)["checks"]
    return json.loads(base64.b64decode(text)) if text else {}


def test_a_host_is_told_only_of_what_the_operator_knows() -> None:
    assert asked(Step.HEALTH, open=OPEN, swap=SWAP) == {"open": {"command": list(OPEN.command), "seconds": 10}}
    assert asked(Step.HEALTH) == asked(Step.VERIFY, open=OPEN) == {}


def test_they_run_side_by_side_each_in_its_time(module: ModuleType) -> None:
    began = time.monotonic()
    ran = module.run_all(
        {
            "says": {"command": ["sh", "-c", "echo out; echo err >&2; exit 3"], "seconds": 5},
            "template": {"command": ["echo", "{{ 7 * 7 }}", "$HOME"], "seconds": 5},
            "slow": {"command": ["sh", "-c", "echo begun; sleep 60"], "seconds": 1},
            "deaf": {"command": ["sh", "-c", "trap '' TERM; while :; do sleep 1; done"], "seconds": 1},
            "like": {"command": ["sh", "-c", "exit 124"], "seconds": 5},
            "none": {"command": ["/not/there"], "seconds": 5},
        }
    )
    assert time.monotonic() - began < 20
    read = {name: Ran.read(one) for name, one in ran.items()}
    assert (read["says"].code, read["says"].out) == (3, "out\nerr\n")
    assert read["template"].out == "{{ 7 * 7 }} $HOME\n"
    assert read["slow"] == Ran(None, "begun\n", "no end within 1 s")
    assert read["deaf"].problem == "no end within 1 s"
    assert (read["like"].code, read["like"].problem) == (124, "")
    assert read["none"].code is None and read["none"].problem.startswith("could not be started: ")


def test_nothing_of_a_check_is_left_on_the_host(module: ModuleType, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    ran = module.run({"command": ["sh", "-c", f"sleep 300 & echo $! > {pid}; exit 0"], "seconds": 5})
    assert ran["code"] == 0
    wait_until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists(), "what it left behind has ended")


def test_one_that_writes_without_end_is_ended(module: ModuleType, tmp_path: Path) -> None:
    for command in (["cat", "/dev/zero"], ["cp", "/dev/zero", str(tmp_path / "big")]):
        ran = module.run({"command": command, "seconds": 5})
        assert ran["code"] not in (None, 0), ran
    assert (tmp_path / "big").stat().st_size <= 1 << 16


def test_the_play_hands_on_how_they_ended(module: ModuleType) -> None:
    record: dict[str, Any] = {"host": "h02", "task": "checks", "status": "ok", "rc": None, "facts": None, "condition": None}
    record |= {"stdout": "", "stderr": "", "msg": ""}
    ran = module.run_all({"well": {"command": ["echo", "yes"], "seconds": 5}})
    report = read_report(json.dumps({**record, "checks": ran}).encode())
    assert report is not None and report.told.checks == {"well": Ran(0, "yes\n", "")}
    half = read_report(json.dumps({**record, "checks": {"well": {"code": 0}}}).encode())
    assert half is not None and (half.told.status, half.told.checks) == ("failed", None), "half an answer is none"
