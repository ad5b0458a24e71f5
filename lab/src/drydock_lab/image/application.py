"""The application of the lab: an HTTP server with keep-alive that ends gracefully.

`GET /?ms=N` answers after N milliseconds; a slow answer sends its head and half of its body first, so that a server that
dies on the way leaves a truncated body behind. `GET /health` says whether the instance is ready and how many requests
are open. On TERM it stops accepting, closes idle connections, finishes open requests and ends.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

DELAY_MILLIS_MAX = 60_000
FINISH_SECONDS_MAX = 30
HEAD_BYTES_MAX = 8192
SPLIT_FROM_MILLIS = 100
BOOT_ID = Path("/proc/sys/kernel/random/boot_id").read_text().strip()


class Application:
    """One instance. Everything runs on the event loop's thread."""

    def __init__(self, name: str, host: str) -> None:
        self.name = name
        self.host = host
        self.open = 0
        self.served = 0
        self.draining = False
        self.idle: set[asyncio.StreamWriter] = set()
        self.quiet = asyncio.Event()
        self.quiet.set()

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves the requests of one connection, one after the other."""
        try:
            while not self.draining:
                self.idle.add(writer)
                head = await reader.readuntil(b"\r\n\r\n")
                self.idle.discard(writer)
                if not await self.request(head, writer):
                    break
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass  # the client went away or sent nonsense: this connection is over
        finally:
            self.idle.discard(writer)
            writer.close()

    async def request(self, head: bytes, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; says whether the connection may carry another."""
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split()
        if len(words) != 3 or words[0] != "GET":
            await self.answer(writer, 405, b"only GET\n")
            return False
        target = urlsplit(words[1])
        if target.path == "/health":
            health = {"application": self.name, "host": self.host, "ready": not self.draining, "open": self.open, "bootId": BOOT_ID}
            await self.answer(writer, 503 if self.draining else 200, json.dumps(health).encode(), "application/json")
        elif target.path == "/":
            await self.work(writer, parse_qs(target.query).get("ms", ["0"])[0])
        else:
            await self.answer(writer, 404, b"no such path\n")
        return not self.draining and b"\r\nconnection: close" not in head.lower()

    async def work(self, writer: asyncio.StreamWriter, millis_text: str) -> None:
        if not millis_text.isdecimal() or int(millis_text) > DELAY_MILLIS_MAX:
            await self.answer(writer, 400, b"ms must be a whole number up to 60000\n")
            return
        millis = int(millis_text)
        self.open += 1
        self.quiet.clear()
        try:
            self.served += 1
            body = f"{self.name} {self.host} {self.served}\n".encode() * 64
            await self.answer(writer, 200, body, delay_millis=millis)
        finally:
            self.open -= 1
            if self.open == 0:
                self.quiet.set()

    async def answer(
        self, writer: asyncio.StreamWriter, status: int, body: bytes, kind: str = "text/plain", *, delay_millis: int = 0
    ) -> None:
        head = (
            f"HTTP/1.1 {status} {'OK' if status == 200 else 'Refused'}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            f"X-Host: {self.host}\r\nX-Checksum: {hashlib.sha256(body).hexdigest()}\r\n"
            f"{'Connection: close' + chr(13) + chr(10) if self.draining else ''}\r\n"
        ).encode("latin-1")
        sent = 0
        if delay_millis >= SPLIT_FROM_MILLIS:
            sent = len(body) // 2
            writer.write(head + body[:sent])
            head = b""
        if delay_millis:
            await asyncio.sleep(delay_millis / 1000)
        writer.write(head + body[sent:])
        await writer.drain()

    async def run(self, port: int) -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        # The only network a host has is the lab.
        server = await asyncio.start_server(self.connection, "0.0.0.0", port, limit=HEAD_BYTES_MAX, backlog=256, reuse_address=True)  # noqa: S104
        await stop.wait()
        self.draining = True
        server.close()
        for writer in list(self.idle):
            writer.close()
        try:
            await asyncio.wait_for(self.quiet.wait(), FINISH_SECONDS_MAX)
        except TimeoutError:
            sys.stderr.write(f"{self.name}: {self.open} requests still open after {FINISH_SECONDS_MAX} s, ending\n")


if __name__ == "__main__":
    asyncio.run(Application(sys.argv[1], socket.gethostname()).run(int(sys.argv[2])))
