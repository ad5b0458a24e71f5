"""What CleanDisk and PowerCycle would do to a host now, as one JSON object. Reads, and changes nothing.

python -m drydock_remediation.repairs.dry_run HOST ADDRESS; the environment is that of the operator.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from drydock_remediation.health.redfish import Looks, RedfishLooks
from drydock_remediation.reimage.facts import OFF, ON
from drydock_remediation.repairs.clean_disk import CLEAN_SECONDS, ON_HOST
from drydock_remediation.repairs.clean_rules import Rules
from drydock_remediation.repairs.cycling import PATIENCE
from drydock_remediation.settings import Settings, SettingsError, Ssh, read_settings

WOULD = {
    ON: f"be asked to shut down, forced off after {PATIENCE.shutdown:.0f} s, and powered on",
    OFF: "be powered on",
}


def dry_run(settings: Settings, host: str, address: str, looks: Looks | None) -> dict[str, Any]:
    return {
        "host": host,
        "CleanDisk": clean(settings.ssh, address, settings.clean_rules),
        "PowerCycle": power_cycle(looks, host),
    }


def clean(ssh: Ssh, address: str, rules: Rules) -> dict[str, Any]:
    """What would be removed: files and bytes by the name of their rule."""
    asked = ["python3", "-", json.dumps([rule.record() for rule in rules]), "plan"]
    command = ["ssh", *ssh.options(), f"{ssh.user}@{address}", shlex.join(asked)]
    try:
        done = subprocess.run(command, input=ON_HOST.read_text(), capture_output=True, text=True, timeout=CLEAN_SECONDS, check=False)
        if done.returncode != 0:
            return {"unknown": done.stderr.strip()[-500:] or f"code {done.returncode}"}
        return {"wouldRemove": json.loads(done.stdout)["removed"]}
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        return {"unknown": str(error) or type(error).__name__}


def power_cycle(looks: Looks | None, host: str) -> dict[str, str]:
    seen = looks.look(host, asks=1) if looks else None
    if seen is None:
        return {"unknown": "nobody said where its BMC is"}
    if seen.machine is None:
        return {"unknown": seen.why}
    would = WOULD.get(seen.machine.power)
    return {"would": would} if would else {"unknown": f"its power is {seen.machine.power}"}


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m drydock_remediation.repairs.dry_run HOST ADDRESS\n")
        return 2
    try:
        settings = read_settings()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    looks = RedfishLooks(settings.bmcs) if settings.bmcs else None
    sys.stdout.write(json.dumps(dry_run(settings, arguments[0], arguments[1], looks), indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
