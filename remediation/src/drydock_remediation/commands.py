"""The commands an update runs on a host. Every one that changes something runs under the wrapper `hostrun`."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from pathlib import Path

from drydock_remediation.bundle import ALONE
from drydock_remediation.channel_on_host import AUDIT_PREFIX, STATE
from drydock_remediation.family import Family
from drydock_remediation.records import FAMILIES, REIMAGE, Claim, Job, Release, Step

FETCH_SECONDS = 180
UPGRADE_SECONDS = 1800
REBOOT_SECONDS = 60
GIVE_BACK_SECONDS = 60
PREFLIGHT_PATIENCE = 20  # the host serves meanwhile, and is asked again
# A refusal is seen at once: whoever inhibits it has just begun, and is given a moment.
REBOOT = "sync; n=0; until shutdown -r now; do n=$((n+1)); [ $n -lt 5 ] || exit 1; sleep 3; done"
OTHERS, HOLD_OFF = (Path(__file__).parent / f"{name}.py" for name in ("others_on_host", "automatic_upgrades"))
GIVE_BACK = f"{HOLD_OFF.read_text()}\nimport sys\ngive_back(Path(sys.argv[1]) / 'held-off')\n"
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
    words = {"id": job.id, "host": job.host, "address": job.address}
    if job.step is not Step.PREFLIGHT:  # which comes before any grant
        words["grant"] = job.grant
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


class HostFile:
    """A program that is put onto a host, under a name that has its sum."""

    def __init__(self, name: str, text: str) -> None:
        self.text = text
        self.sha256 = hashlib.sha256(text.encode()).hexdigest()
        self.path = f"/data/drydock/bin/{name}-{self.sha256[:8]}"


def host_program(family: Family) -> HostFile:
    return HostFile(f"packages-{family.name}", family.program)


class Wrapper(HostFile):
    """`hostrun` of this version, and where it stands on a host."""

    def __init__(self, source: Path) -> None:
        super().__init__("hostrun", source.read_text())

    def install_and_fence(self, token: str, *programs: HostFile) -> list[str]:
        """Takes the wrapper on stdin, puts it and the programs in place where they are not there, and claims the token: from here on every
        older executor is refused. A host without its data partition would forget that, so it is refused here."""
        script = f"""
            umask 022
            mountpoint -q /data || {{ echo "/data is not mounted" >&2; exit 74; }}
            set -e
            put() {{
              if [ ! -f "$1" ] || [ "$(sha256sum < "$1")" != "$2  -" ]; then
                mkdir -p "${{1%/*}}"
                cat > "$1.$$"
                [ "$(sha256sum < "$1.$$")" = "$2  -" ] || {{ rm -f "$1.$$"; echo "$1 arrived damaged" >&2; exit 74; }}
                chmod 755 "$1.$$"
                sync "$1.$$"
                mv "$1.$$" "$1"
              fi
            }}
            put "$1" "$2"
            wrapper="$1" token="$3"
            shift 3
            while [ $# -gt 0 ]; do
              printf %s "$3" | put "$1" "$2"
              shift 3
            done
            exec {shlex.join(ALONE)} "$wrapper" token --token "$token"
        """
        more = [word for program in programs for word in (program.path, program.sha256, program.text)]
        return ["sh", "-c", script, "fence", self.path, self.sha256, token, *more]

    def run(self, claim: Claim, name: str, seconds: int, command: list[str]) -> list[str]:
        deadline = min(seconds, claim.job.deadline_seconds)
        options = ["--token", claim.token, "--key", f"{claim.job.id}.{name}", "--deadline", str(deadline)]
        return [*ALONE, self.path, "run", *options, "--", *command]


def before_file(job: Job) -> str:
    """Where a host keeps what was installed before the first effect of this grant: whoever attaches to an update that
    is under way can no longer see it."""
    return f"{BEFORE}/{job.grant}.{job.host}"


def order(job: Job, release: Release, seconds: int = 0) -> str:
    """What the programs on hosts are told (channel_on_host.Order). `seconds`: so long others are waited for."""
    return json.dumps(
        {
            "channel": release.channel,
            "downgrade": job.downgrade,
            "packages": dict(sorted(release.packages.items())),
            "before": before_file(job),
            "seconds": seconds,
        }
    )


def patience(job: Job) -> int:
    """For how many seconds of the job others are waited for; the rest is for the work itself."""
    return job.deadline_seconds * 2 // 3


def update_commands(wrapper: Wrapper, claim: Claim, release: Release) -> dict[str, list[str]]:
    """By the name of the task of update.yml that runs it."""
    job, family = claim.job, FAMILIES[release.family]
    program = host_program(family)

    def on_host(verb: str, seconds: int = 0) -> list[str]:
        return [*ALONE, program.path, verb, order(job, release, seconds)]

    return {
        "fence": wrapper.install_and_fence(claim.token, program),
        "others": waits_for_others(0),
        "quiet": waits_for_others(patience(job)),
        "channel": wrapper.run(claim, "channel", FETCH_SECONDS, kept_before(job, family, on_host("refresh"))),
        "simulation": on_host("plan"),
        "upgrade": wrapper.run(claim, "upgrade", UPGRADE_SECONDS, on_host("upgrade", patience(job) // 2)),
        "calm": waits_for_others(patience(job), "reboot"),
        "reboot": wrapper.run(claim, "reboot", REBOOT_SECONDS, ["sh", "-c", REBOOT]),
    }


def preflight_commands(claim: Claim, release: Release) -> dict[str, list[str]]:
    """By the name of the task of preflight.yml that runs it. They take the wrapper on stdin, and put nothing onto the host."""
    job, family = claim.job, FAMILIES[release.family]
    options = ["--token", claim.token, "--deadline", str(job.deadline_seconds)]

    def beside(verb: str) -> list[str]:
        return [*ALONE, "-", "beside", *options, "--", *ALONE, "-c", family.program, verb, order(job, release)]

    return {
        "fence": [
            "sh",
            "-c",
            'mountpoint -q /data && [ -w /data ] || { echo "/data is not mounted, or not to be written to" >&2; exit 74; }',
        ],
        "quiet": waits_for_others(min(PREFLIGHT_PATIENCE, patience(job))),
        "channel": beside("reread"),
        "simulation": beside("plan"),
        "stage": beside("stage"),
    }


def tells_others() -> list[str]:
    """Prints in a sentence who else works there, or keeps it from being started anew; nothing where nobody does."""
    return [*ALONE, "-c", OTHERS.read_text(), "say"]


def waits_for_others(seconds: int, *words: str) -> list[str]:
    """Prints who else works there after so many seconds (others_on_host.py); ends as soon as nobody does."""
    return [*ALONE, "-c", OTHERS.read_text(), "wait", str(seconds), *words]


def gives_back(wrapper: Wrapper, claim: Claim) -> list[str]:
    """Gives back what an upgrade that was cut off has left held off."""
    return wrapper.run(claim, "give-back", GIVE_BACK_SECONDS, [*ALONE, "-c", GIVE_BACK, STATE])


def kept_before(job: Job, family: Family, command: list[str]) -> list[str]:
    """The command, and before it what the host is now, kept once per grant."""
    asked = family.audits(sorted(job.release.packages if job.release else ()))
    audits = "\n".join(f"{{ LC_ALL=C {shlex.join(audit)} 2>&1 || true; }} | sed 's/^/{AUDIT_PREFIX}/' >> \"$1.new\"" for audit in asked)
    script = f"""
        set -e
        if [ ! -e "$1" ]; then
          rm -rf {BEFORE}
          mkdir -p {BEFORE}
          {shlex.join(family.query)} > "$1.new"
          printf 'kernel=%s\\n' "$(uname -r)" >> "$1.new"
          cat /etc/os-release >> "$1.new"
          {audits}
          sync "$1.new"
          mv "$1.new" "$1"
          sync {BEFORE}
        fi
        shift
        exec "$@"
    """
    return ["sh", "-c", script, "keep", before_file(job), *command]
