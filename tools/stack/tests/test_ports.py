import os
import socket
from pathlib import Path

import pytest

from drydock_stack import instance, ports, stack
from drydock_stack.failure import StackError


def test_a_taken_port_is_named_with_its_owner_and_the_way_out() -> None:
    with socket.socket() as taken, socket.socket() as free:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        free.bind(("127.0.0.1", 0))
        unused = free.getsockname()[1]
        free.close()

        with pytest.raises(StackError) as refusal:
            ports.require_free({"etcd: etcd": number, "server: http": unused})

    message = str(refusal.value)
    assert f"port {number} (etcd: etcd) is taken by process {os.getpid()} (" in message
    assert str(unused) not in message
    assert "DRYDOCK_ID" in message
    assert "Nothing was started" in message


def test_all_taken_ports_are_named_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        numbers = [one.getsockname()[1], two.getsockname()[1]]
        with pytest.raises(StackError) as refusal:
            ports.require_free({"one": numbers[0], "two": numbers[1]})

    assert all(str(number) in str(refusal.value) for number in numbers)


def test_free_ports_pass() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        number = probe.getsockname()[1]
    ports.require_free({"free": number})


def test_checkouts_beside_each_other_have_ports_of_their_own(tmp_path: Path) -> None:
    first = ports.free_instance(tmp_path, instance.derive(tmp_path, "other"))
    second = ports.free_instance(tmp_path, first)
    assert second.port_base != first.port_base
    with socket.create_server(("127.0.0.1", second.port("etcd"))):
        third = ports.free_instance(tmp_path, first)
    assert third.port_base not in (first.port_base, second.port_base)


def test_no_two_processes_of_the_stack_share_a_port() -> None:
    wanted = [port for service in stack.SERVICES for port in service.ports]
    assert sorted(wanted) == sorted(set(wanted))
