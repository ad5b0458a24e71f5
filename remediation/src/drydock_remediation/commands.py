"""The commands an update runs on a host. Every one that changes something runs under the wrapper `hostrun`."""

from __future__ import annotations

import hashlib
import re
import shlex
from pathlib import Path

from drydock_remediation.records import Claim, Job, Release

FETCH_SECONDS = 180
UPGRADE_SECONDS = 1800
REBOOT_SECONDS = 60
BEFORE = "/data/drydock/before"
SOURCES = "/etc/apt/sources.list.d/fleet.list"
FULL_UPGRADE = "== what a full upgrade would do =="

# What may stand in a job. The values go into an inventory, a shell and an apt source list: anything else is refused
# rather than quoted three times.
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:~@-]{0,199}")
URL = re.compile(r"https?://[A-Za-z0-9._~:/@%+-]{1,500}")
TOKEN = re.compile(r"\d{1,19}(\.\d{1,19}){3}")


def objections(job: Job, token: str) -> list[str]:
    """What in this job must not reach a host, field by field."""
    words = {"id": job.id, "grant": job.grant, "host": job.host, "address": job.address}
    words |= {f"instances[{name}]": name for name in job.applications}
    found = [f"{field} {value!r} has characters a host is never given" for field, value in words.items() if not WORD.fullmatch(value)]
    if not TOKEN.fullmatch(token):
        found.append(f"token {token!r} is not EPOCH.HOLD.ROUND.ATTEMPT")
    return found + ([f"{job.step} needs a release"] if job.release is None else _objections_to(job.release))


def _objections_to(release: Release) -> list[str]:
    found = [] if URL.fullmatch(release.channel) else [f"release.channel {release.channel!r} is not a plain http(s) URL"]
    for name, version in release.packages.items():
        if not WORD.fullmatch(name) or not WORD.fullmatch(version):
            found.append(f"release.packages has {name!r}: {version!r}")
    if not release.packages:
        found.append("release.packages is empty: nothing could be verified")
    return found if WORD.fullmatch(release.kernel) else [*found, f"release.kernel {release.kernel!r}"]


class Wrapper:
    """`hostrun` of this version, and where it stands on a host."""

    def __init__(self, source: Path) -> None:
        self.text = source.read_text()
        self.sha256 = hashlib.sha256(self.text.encode()).hexdigest()
        self.path = f"/data/drydock/bin/hostrun-{self.sha256[:8]}"

    def install_and_fence(self, token: str) -> list[str]:
        """Takes the wrapper on stdin, puts it in place when it is not there, and claims the token: from here on every
        older executor is refused. A host without its data partition would forget that, so it is refused here."""
        script = """
            mountpoint -q /data || { echo "/data is not mounted" >&2; exit 74; }
            set -e
            if [ ! -f "$1" ] || [ "$(sha256sum < "$1")" != "$2  -" ]; then
              mkdir -p "${1%/*}"
              cat > "$1.$$"
              [ "$(sha256sum < "$1.$$")" = "$2  -" ] || { rm -f "$1.$$"; echo "the wrapper arrived damaged" >&2; exit 74; }
              chmod 755 "$1.$$"
              sync "$1.$$"
              mv "$1.$$" "$1"
            fi
            exec python3 "$1" token --token "$3"
        """
        return ["sh", "-c", script, "fence", self.path, self.sha256, token]

    def run(self, claim: Claim, name: str, seconds: int, command: list[str]) -> list[str]:
        deadline = min(seconds, claim.job.deadline_seconds)
        options = ["--token", claim.token, "--key", f"{claim.job.id}.{name}", "--deadline", str(deadline)]
        return ["python3", self.path, "run", *options, "--", *command]


APT = [
    *("env", "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"),
    *("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold", "-o", "DPkg::Lock::Timeout=60"),
]
# This is what Ansible's `apt: upgrade=safe` runs: no package is removed. It is not run by that module, because its
# process would die with the connection or with this program, in the middle of dpkg, and a second attempt could not
# tell. Under the wrapper it goes on, ends once, and every later attempt gets its result. --no-remove says it twice.
UPGRADE = [*APT, "--no-remove", "upgrade", "--with-new-pkgs"]


# All packages of a host, as lines NAME|STATUS|VERSION.
QUERY = ["dpkg-query", "-W", "-f", "${Package}|${db:Status-Abbrev}|${Version}\\n"]


def before_file(job: Job) -> str:
    """Where a host keeps what was installed before the first effect of this grant: whoever attaches to an update that
    is under way can no longer see it."""
    return f"{BEFORE}/{job.grant}.{job.host}"


def update_commands(wrapper: Wrapper, claim: Claim, release: Release) -> dict[str, list[str]]:
    """By the name of the task of update.yml that runs it."""
    keep = f"""
        set -e
        if [ ! -e "$2" ]; then
          rm -rf {BEFORE}
          mkdir -p {BEFORE}
          {shlex.join(QUERY)} > "$2.new"
          sync "$2.new"
          mv "$2.new" "$2"
          sync {BEFORE}
        fi
    """
    # Without Error-Mode=any apt-get shrugs off a channel it could not read and calls it success.
    refresh = f"""
        printf 'deb [trusted=yes] %s ./\\n' "$1" > {SOURCES}.new
        mv {SOURCES}.new {SOURCES}
        exec apt-get -q -o APT::Update::Error-Mode=any -o Acquire::Retries=2 -o Acquire::http::Timeout=20 update
    """
    # The second half changes no decision: it names the packages a full upgrade would remove, for the message.
    simulate = f"{' '.join(UPGRADE)} -s && echo '{FULL_UPGRADE}' && {{ {' '.join(APT)} -s dist-upgrade || true; }}"
    return {
        "fence": wrapper.install_and_fence(claim.token),
        "channel": wrapper.run(
            claim, "channel", FETCH_SECONDS, ["sh", "-c", keep + refresh, "channel", release.channel, before_file(claim.job)]
        ),
        "simulation": ["sh", "-c", simulate],
        "upgrade": wrapper.run(claim, "upgrade", UPGRADE_SECONDS, UPGRADE),
        "reboot": wrapper.run(claim, "reboot", REBOOT_SECONDS, ["sh", "-c", "sync; exec shutdown -r now"]),
    }
