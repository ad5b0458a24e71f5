"""What runs beside everything else takes nothing from anybody, and gives way."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .program import Answer, Hostrun, ended, wait_until

OLDER, YIELDS, LATE = 75, 78, 124
BEFORE_ANY_BATCH = "1.0.1.1"


def begin(host: Hostrun, script: str, deadline: float = 20, token: str = BEFORE_ANY_BATCH) -> subprocess.Popen[str]:
    return host.begin("beside", "--token", token, "--deadline", str(deadline), "--", "sh", "-c", script)


def beside(host: Hostrun, script: str, deadline: float = 20) -> Answer:
    return ended(begin(host, script, deadline))


def test_it_runs_though_batches_have_been_there_and_records_nothing(tmp_path: Path) -> None:
    host = Hostrun(tmp_path)
    assert (beside(host, "echo said; exit 3").code, host.root.exists()) == (3, False)
    assert host.run("1.17.3.1", "g17.Update.h02.3.upgrade", "true").code == 0
    before = host.state()
    answer = beside(host, "echo said; exit 3")
    assert (answer.code, answer.out) == (3, "said\n")
    assert host.state() == before


def test_it_has_the_lowest_priority(tmp_path: Path) -> None:
    assert beside(Hostrun(tmp_path), "nice").out == "19\n"


def test_it_does_not_begin_while_a_command_of_a_batch_runs(tmp_path: Path) -> None:
    host = Hostrun(tmp_path)
    update = host.begin_run("1.17.3.1", "g17.Update.h02.3.upgrade", f"{host.effect('begun')}; {host.gate()}")
    wait_until(lambda: host.effects() == ["begun"], "it runs")
    answer = beside(host, host.effect("beside"))
    assert (answer.code, answer.err) == (YIELDS, "hostrun: yields to g17.Update.h02.3.upgrade, which runs here\n")
    host.open_gate()
    assert ended(update).code == 0
    assert host.effects() == ["begun"]


def test_it_ends_as_soon_as_a_batch_claims_the_host(tmp_path: Path) -> None:
    host = Hostrun(tmp_path)
    waits = begin(host, f"{host.effect('begun')}; {host.gate()}; {host.effect('ended')}")
    wait_until(lambda: host.effects() == ["begun"], "it runs")
    assert host.token("1.17.3.1").code == 0
    answer = ended(waits)
    assert (answer.code, answer.err) == (YIELDS, "hostrun: yields to 1.17.3.1, which has claimed this host\n")
    host.open_gate()
    assert host.run("1.17.3.1", "g17.Update.h02.3.upgrade", host.effect("update")).code == 0
    assert host.effects() == ["begun", "update"]


def test_control_one_that_does_not_look_goes_on_beside_the_batch(tmp_path: Path) -> None:
    host = Hostrun(tmp_path, (("            yields_to(found)\n", ""),))
    waits = begin(host, f"{host.effect('begun')}; {host.gate()}; {host.effect('ended')}")
    wait_until(lambda: host.effects() == ["begun"], "it runs")
    assert host.token("1.17.3.1").code == 0
    host.open_gate()
    assert ended(waits).code == 0
    assert host.effects() == ["begun", "ended"]


def test_one_of_an_older_epoch_is_refused(tmp_path: Path) -> None:
    host = Hostrun(tmp_path)
    assert host.token("2.1.1.1").code == 0
    assert ended(begin(host, "true")).code == OLDER


def test_it_ends_in_time(tmp_path: Path) -> None:
    assert beside(Hostrun(tmp_path), "sleep 60", deadline=0.3).code == LATE


def test_a_byte_that_is_no_text_is_shown_as_one(tmp_path: Path) -> None:
    host = Hostrun(tmp_path)
    assert host.run("1.17.3.1", "g17.Update.h02.3.upgrade", "printf 'f\\374r'; printf '\\374' >&2").out == "f�r"
