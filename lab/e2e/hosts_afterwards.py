"""What hosts and their machines are like after a rollout, by themselves and by the lab; nothing of Drydock is asked."""

import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fleet import Fleet

from drydock_lab.host import DATA_CHANGED
from drydock_lab.release import PACKAGES
from drydock_stack import release_check
from drydock_stack.service import http_json

SECONDS = 60
# What Drydock keeps on a data partition changes all the time, and `precious` is what the mishap of the full data disk puts there.
NO_DATA = " -o ".join(f"-path ./{name} -prune" for name in ("drydock", "lost+found", "precious"))
SUMS = f"cd /data && find . {NO_DATA} -o -type f -print0 | sort -z | xargs -0 sha256sum"
# Says nothing while the package database is in order, and something when it cannot tell.
AUDITS = {"apt": "dpkg --audit || echo code $?", "dnf": f"{{ rpm -V --noconfig {' '.join(PACKAGES)} && dnf -q check; }} || echo code $?"}
SHOWN = 5


def lab_says(fleet: Fleet, host: str) -> dict[str, Any]:
    status, lab = http_json(f"http://127.0.0.1:{fleet.instance.port('labControl')}/hosts/{host}", seconds=10)
    assert status == 200 and isinstance(lab, dict)
    return lab


def data_of(fleet: Fleet, hosts: Sequence[str]) -> dict[str, str]:
    """The sums of the data of each host that tells."""
    return _asked(fleet, dict.fromkeys(hosts, SUMS))


def audits(fleet: Fleet, hosts: Sequence[str]) -> dict[str, str]:
    """What the package database of each host that answers complains about."""
    families = fleet.lab.families()
    return _asked(fleet, {host: AUDITS[families[host]] for host in hosts})


def _asked(fleet: Fleet, commands: Mapping[str, str]) -> dict[str, str]:
    ssh, addresses = release_check.ssh(fleet.lab), fleet.lab.addresses()

    def ask(host: str) -> str | None:
        try:
            done = subprocess.run(
                [*ssh, addresses[host], commands[host]],
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    with ThreadPoolExecutor(max_workers=len(commands)) as pool:
        answers = zip(commands, pool.map(ask, commands), strict=True)
        return {host: answer for host, answer in answers if answer is not None}


def not_well(difference: str, lab: Mapping[str, Any], audit: str, image: str | None) -> str:
    """What a host is not that it should be: empty when it has all of the release, and the image where one was wanted, and all
    answer."""
    wrong = f"image {lab['image']} instead of {image}" if image is not None and lab["image"] != image else ""
    return "; ".join(filter(None, (difference, *lab["notReady"], audit, wrong)))


def harm(before: str, after: str | None, lab: Mapping[str, Any], since: float, *, bmc_answers: bool = True) -> str:
    """What must have been done to no host, whatever became of it: to its data, and to what its machine boots next. `since` is in
    seconds since 1970."""
    found = [changed(before, after)]
    found += [one["event"] for one in lab["events"] if one["at"] >= since and one["event"] == DATA_CHANGED]
    if bmc_answers and (lab["medium"] or lab["override"] != "Disabled"):
        found.append(f"an installer is left: {lab['medium'] or 'an empty drive'}, boot override {lab['override']}")
    return "; ".join(filter(None, found))


def changed(before: str, after: str | None) -> str:
    """Which data files are not as they were."""
    if after is None:
        return "its data cannot be read"
    paths = sorted({line.partition("  ")[2] for line in set(before.splitlines()) ^ set(after.splitlines())})
    return f"data files changed: {', '.join(paths[:SHOWN])}" if paths else ""
