"""The commands an update runs on a host. Every one that changes something runs under the wrapper `hostrun`."""

from __future__ import annotations

import hashlib
import re
import shlex
from pathlib import Path

from drydock_remediation.family import Family
from drydock_remediation.records import FAMILIES, REIMAGE, Claim, Job, Release

FETCH_SECONDS = 180
UPGRADE_SECONDS = 1800
REBOOT_SECONDS = 60
BEFORE = "/data/drydock/before"

# What may stand in a job. The values go into an inventory, a shell and a package source: anything else is refused
# rather than quoted three times.
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:~^@-]{0,199}")
URL = re.compile(r"https?://[A-Za-z0-9._~:/@%+-]{1,500}")
TOKEN = re.compile(r"\d{1,19}(\.\d{1,19}){3}")


def objections(job: Job, token: str) -> list[str]:
    """What in this job must not reach a host, field by field."""
    found = objections_to_names(job)
    if not TOKEN.fullmatch(token):
        found.append(f"token {token!r} is not EPOCH.HOLD.ROUND.ATTEMPT")
    if job.release is None:
        return [*found, f"{job.step} needs a release"] if job.family in FAMILIES else found
    return [*found, *_objections_to(job.release), *(_objections_to_image(job.release) if job.mode == REIMAGE else [])]


def objections_to_names(job: Job) -> list[str]:
    """Of what the job calls itself, its host and what runs there."""
    words = {"id": job.id, "grant": job.grant, "host": job.host, "address": job.address}
    words |= {f"instances[{name}]": name for name in job.applications}
    found = [f"{field} {value!r} has characters a host is never given" for field, value in words.items() if not WORD.fullmatch(value)]
    if job.family not in FAMILIES:
        found.append(f"osFamily {job.family!r} is none of {', '.join(FAMILIES)}")
    return found


def _objections_to_image(release: Release) -> list[str]:
    found = [] if URL.fullmatch(release.image) else [f"release.images.{release.family} {release.image!r} is not a plain http(s) URL"]
    return found if WORD.fullmatch(release.image_version) else [*found, f"release.imageVersion {release.image_version!r}"]


def _objections_to(release: Release) -> list[str]:
    field = FAMILIES[release.family].channel_field
    found = [] if URL.fullmatch(release.channel) else [f"release.{field} {release.channel!r} is not a plain http(s) URL"]
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


def before_file(job: Job) -> str:
    """Where a host keeps what was installed before the first effect of this grant: whoever attaches to an update that
    is under way can no longer see it."""
    return f"{BEFORE}/{job.grant}.{job.host}"


def update_commands(wrapper: Wrapper, claim: Claim, release: Release) -> dict[str, list[str]]:
    """By the name of the task of update.yml that runs it."""
    family, channel, downgrade = FAMILIES[release.family], release.channel, claim.job.downgrade
    refresh = kept_before(claim.job, family, family.refresh(channel, downgrade=downgrade))
    return {
        "fence": wrapper.install_and_fence(claim.token),
        "channel": wrapper.run(claim, "channel", FETCH_SECONDS, refresh),
        "simulation": family.simulation(channel, downgrade=downgrade),
        "upgrade": wrapper.run(claim, "upgrade", UPGRADE_SECONDS, family.upgrade(channel, downgrade=downgrade)),
        "reboot": wrapper.run(claim, "reboot", REBOOT_SECONDS, ["sh", "-c", "sync; exec shutdown -r now"]),
    }


def kept_before(job: Job, family: Family, command: list[str]) -> list[str]:
    """The command, and before it what the host is now, kept once per grant."""
    script = f"""
        set -e
        if [ ! -e "$1" ]; then
          rm -rf {BEFORE}
          mkdir -p {BEFORE}
          {shlex.join(family.query)} > "$1.new"
          printf 'kernel=%s\\n' "$(uname -r)" >> "$1.new"
          cat /etc/os-release >> "$1.new"
          sync "$1.new"
          mv "$1.new" "$1"
          sync {BEFORE}
        fi
        shift
        exec "$@"
    """
    return ["sh", "-c", script, "keep", before_file(job), *command]
