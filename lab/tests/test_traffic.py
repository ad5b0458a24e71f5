"""Every way a request can fail is counted, and by its own name."""

import asyncio
import hashlib
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from drydock_lab.traffic.connection import Answer, Connection, Kind
from drydock_lab.traffic.generator import Generator
from drydock_lab.traffic.schedule import Planned, sequence
from drydock_lab.traffic.tally import Series

BODY = b"hello" * 100
CHECKSUM = hashlib.sha256(BODY).hexdigest()
GOOD = f"HTTP/1.1 200 OK\r\nContent-Length: 500\r\nX-Host: h01\r\nX-Checksum: {CHECKSUM}\r\n\r\n".encode() + BODY
Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def test_one_seed_is_one_sequence_with_two_percent_slow_requests() -> None:
    first = list(itertools.islice(sequence(7, ["web", "ads"], 40), 20_000))
    assert first == list(itertools.islice(sequence(7, ["web", "ads"], 40), 20_000))
    assert first != list(itertools.islice(sequence(8, ["web", "ads"], 40), 20_000))
    slow = [planned for planned in first if planned.slow]
    assert 300 < len(slow) < 500
    assert all(3_000 <= planned.millis <= 10_000 for planned in slow)
    assert 450 < sum(planned.gap_seconds for planned in first) < 550


def test_a_good_answer_keeps_its_connection() -> None:
    async def twice(port: int) -> tuple[Answer, Answer, bool]:
        connection = Connection(port)
        return await connection.get("/", 1), await connection.get("/", 1), connection.usable

    assert against(answering(GOOD), twice) == (Answer("h01"), Answer("h01"), True)


def test_connection_close_is_honoured() -> None:
    async def once(port: int) -> tuple[Answer, bool]:
        connection = Connection(port)
        return await connection.get("/", 1), connection.usable

    closing = GOOD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
    assert against(answering(closing), once) == (Answer("h01"), False)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"", Kind.RESET),
        (GOOD[:30], Kind.TRUNCATED),
        (GOOD[:-10], Kind.TRUNCATED),
        (GOOD.replace(b"hello", b"jello", 1), Kind.CORRUPT),
        (GOOD.replace(b"200 OK", b"503 Service Unavailable"), Kind.SERVER_ERROR),
        (GOOD.replace(b"200 OK", b"404 Not Found"), Kind.OTHER),
        (b"nonsense\r\n\r\n", Kind.OTHER),
    ],
)
def test_a_bad_answer_is_named(answer: bytes, kind: Kind) -> None:
    async def once(port: int) -> tuple[Kind | None, bool]:
        connection = Connection(port)
        return (await connection.get("/", 1)).kind, connection.usable

    assert against(answering(answer, then_close=True), once) == (kind, False)


def test_silence_is_a_time_out() -> None:
    async def once(port: int) -> Kind | None:
        return (await Connection(port).get("/", 0.1)).kind

    assert against(answering(None), once) is Kind.TIMEOUT


def test_nobody_listening_is_refused() -> None:
    async def once(port: int) -> int:
        return port

    unused = against(answering(GOOD), once)
    assert asyncio.run(Connection(unused).get("/", 1)).kind is Kind.REFUSED


def test_the_generator_counts_every_request_once_and_finishes_open_ones(tmp_path: Path) -> None:
    plan = [Planned(0.001, "web", 1)] * 30
    bad = itertools.cycle([GOOD, GOOD, b"HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n"])

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(next(bad))

    async def generate(port: int) -> Generator:
        generator = Generator({"web": port}, iter(plan), tmp_path / "traffic.json", {"seed": 1})
        await generator.run(None)
        return generator

    generator = against(behave, generate)
    assert (generator.tally.total.requests, generator.tally.total.failed) == (30, 10)
    assert '"finished": true' in (tmp_path / "traffic.json").read_text()
    assert '"5xx": 10' in (tmp_path / "traffic.json").read_text()


def test_percentiles() -> None:
    series = Series()
    for millis in range(1, 101):
        series.add(Answer("h01"), millis)
    assert (series.percentile(0.5), series.percentile(0.99)) == (50, 99)
    assert Series().percentile(0.5) is None


def answering(answer: bytes | None, *, then_close: bool = False) -> Behaviour:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            if answer is not None:
                writer.write(answer)
            if then_close:
                return

    return behave


def against(behave: Behaviour, ask: Callable[[int], Awaitable[Any]]) -> Any:
    """Runs the question against a server on loopback that behaves as told."""

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await behave(reader, writer)
        except asyncio.IncompleteReadError:
            pass  # the client is done
        finally:
            writer.close()

    async def main() -> Any:
        server = await asyncio.start_server(connection, "127.0.0.1", 0)
        async with server:
            return await ask(server.sockets[0].getsockname()[1])

    return asyncio.run(main())
