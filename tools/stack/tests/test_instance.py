import json
from pathlib import Path

import pytest

from drydock_stack import instance
from drydock_stack.failure import StackError


def test_two_checkouts_get_different_names_ports_and_subnets(tmp_path: Path) -> None:
    one, two = instance.derive(tmp_path / "one"), instance.derive(tmp_path / "two")

    assert one.id != two.id
    assert one.port_base != two.port_base
    assert one.subnet != two.subnet


def test_the_same_checkout_always_gets_the_same(tmp_path: Path) -> None:
    assert instance.derive(tmp_path) == instance.derive(tmp_path)


def test_all_ports_lie_in_the_range_of_the_checkout_and_below_those_of_clients(tmp_path: Path) -> None:
    for number in range(500):
        this = instance.derive(tmp_path, f"{number:x}")
        used = {this.port(name) for name in instance.PORT_OFFSETS}
        assert len(used) == len(instance.PORT_OFFSETS)
        assert this.port_base >= 10000
        assert max(used) + 8 < this.port_base + instance.PORTS_PER_CHECKOUT <= 32768


def test_a_chosen_id_is_kept_until_another_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRYDOCK_ID", "mine")
    chosen = instance.load(tmp_path)

    assert chosen.id == "mine"
    assert instance.load(tmp_path) == chosen
    assert instance.load(tmp_path / "another").id != "mine"


def test_another_id_is_refused_while_processes_run_under_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    this = instance.load(tmp_path)
    (this.state / "run").mkdir()
    (this.state / "run" / "etcd.pid").write_text("{}")
    monkeypatch.setenv("DRYDOCK_ID", "other")

    with pytest.raises(StackError, match=rf"runs as {this.id} \(etcd\).*make down"):
        instance.load(tmp_path)


def test_a_copied_checkout_does_not_keep_the_id_of_the_original(tmp_path: Path) -> None:
    original = instance.load(tmp_path / "original")
    copied = tmp_path / "copy" / ".drydock"
    copied.mkdir(parents=True)
    copied.joinpath("instance.json").write_text(json.dumps(original.to_json()))

    assert instance.load(tmp_path / "copy").id != original.id


@pytest.mark.parametrize("bad", ["TOOLONG", "Ab", "a b", "../x", "abcdef"])
def test_an_id_that_cannot_be_part_of_an_interface_name_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(StackError, match="DRYDOCK_ID"):
        instance.derive(tmp_path, bad)
