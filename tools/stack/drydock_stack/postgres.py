"""PostgreSQL 17 with its data in ``.drydock/pg``: passwords for every role, loopback only, no sockets."""

import os
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path

from drydock_stack import builds, files, identity
from drydock_stack.failure import StackError
from drydock_stack.progress import say
from drydock_stack.service import Service

ORPHAN_SECONDS = 30
SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "unix_socket_directories": "''",
    "max_connections": "150",
    "shared_buffers": "256MB",
    "timezone": "'UTC'",
    "log_timezone": "'UTC'",
    "log_line_prefix": "'%m [%p] '",
}
# Passwords here are 128 random bits on loopback: nobody guesses them however cheap a try is, so hashing slowly would
# protect nothing, and clients of a stack connect thousands of times. Of new data: a password keeps what it was made with.
CHEAP_HASHES = ["-c", "scram_iterations=16"]
DATABASES = {"drydock": "drydock", "temporal": "temporal", "temporal_visibility": "temporal"}


class Postgres(Service):
    """The database server; it also owns the passwords of its roles (``pg/secret/ROLE``, mode 600)."""

    name = "postgres"
    ports = ("postgres",)
    stop_signal = signal.SIGINT  # Fast shutdown: open transactions are rolled back, nobody is waited for.

    @property
    def folder(self) -> Path:
        return self.state / "pg"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def password_file(self, role: str) -> Path:
        return self.folder / "secret" / role

    def build(self) -> None:
        builds.postgres()

    def prepare(self) -> None:
        if not self.data.exists():
            self._create()
        settings = {**SETTINGS, "port": str(self.port("postgres"))}
        text = "# Written by tools/stack at every start.\n" + "".join(f"{key} = {value}\n" for key, value in settings.items())
        files.write(self.data / "drydock.conf", text, 0o600)
        self._wait_for_orphans()

    def command(self) -> list[str]:
        return [*_unprivileged(), str(builds.postgres() / "bin" / "postgres"), "-D", str(self.data)]

    def is_ready(self) -> bool:
        """The last line of postmaster.pid says what pg_ctl also waits for; its first must be our process."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        running = self.process.running()
        return running is not None and len(lines) >= 8 and lines[0] == str(running.pid) and lines[7].strip() == "ready"

    def _create(self) -> None:
        """Roles and databases are made in a folder of another name, renamed when complete: a crash leaves nothing half-made."""
        say("creating the PostgreSQL data")
        unfinished = self.folder / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        for role in ("postgres", *DATABASES.values()):
            files.write_once(self.password_file(role), secrets.token_hex(16), 0o600)
        program = builds.postgres() / "bin"
        initdb = ["--username=postgres", f"--pwfile={self.password_file('postgres')}", "--auth=scram-sha-256"]
        form = ["--encoding=UTF8", "--locale=C", "--no-instructions"]
        self._run([str(program / "initdb"), f"--pgdata={unfinished}", *initdb, *form, *CHEAP_HASHES])
        with (unfinished / "postgresql.conf").open("a") as stream:
            stream.write("include_if_exists = 'drydock.conf'\n")
        self._run([str(program / "postgres"), "--single", "-j", "-D", str(unfinished), "postgres"], self._statements())
        unfinished.rename(self.data)

    def _statements(self) -> str:
        """Single-user mode runs these before any port is open; with -j an empty line ends each of them."""
        roles = [f"CREATE ROLE {role} LOGIN PASSWORD '{self.password_file(role).read_text()}';" for role in sorted(set(DATABASES.values()))]
        databases = [f"CREATE DATABASE {database} OWNER {role};" for database, role in DATABASES.items()]
        return "".join(f"{statement}\n\n" for statement in [*roles, *databases])

    def _run(self, command: list[str], text: str = "") -> None:
        done = subprocess.run([*_unprivileged(), *command], input=text, capture_output=True, text=True, timeout=120, check=False)
        # Single-user mode ends with 0 even when a statement failed.
        if done.returncode != 0 or "ERROR:" in done.stderr or "FATAL:" in done.stderr:
            raise StackError(f"{Path(command[0]).name} failed with code {done.returncode}:\n{done.stdout}{done.stderr}")

    def _wait_for_orphans(self) -> None:
        """After a kill -9 its children still end by themselves, and a new server would refuse to start beside them."""
        deadline = time.monotonic() + ORPHAN_SECONDS
        while orphans := identity.working_in(self.data):
            if time.monotonic() > deadline:
                raise StackError(f"Processes {orphans} of a dead PostgreSQL still use {self.data}: end them and try again.")
            time.sleep(0.1)
        # Nobody works there, so the file is a dead one's; its pid may be a stranger's now, which would stop a start.
        (self.data / "postmaster.pid").unlink(missing_ok=True)


def _unprivileged() -> list[str]:
    """PostgreSQL refuses to be root. In a user namespace without a mapping root is nobody and yet owner of its files."""
    return ["unshare", "--user"] if os.geteuid() == 0 else []
