"""The host operator with its reading planted out: it starts a host anew whatever was done before, under keys of its own."""

import dataclasses
import shutil
import sys
import tempfile
from pathlib import Path

from drydock_remediation import __main__ as program
from drydock_remediation import commands, player
from drydock_remediation.records import Claim, Step

READ = "(last_reading | needs_reboot(release, job_id))"
remembered = commands.Wrapper.run


def forgetful(wrapper: commands.Wrapper, claim: Claim, name: str, seconds: int, command: list[str]) -> list[str]:
    job = dataclasses.replace(claim.job, id=f"{claim.job.id}.{claim.attempt}")
    return remembered(wrapper, dataclasses.replace(claim, job=job), name, seconds, command)


playbooks = Path(tempfile.mkdtemp()) / "playbooks"
shutil.copytree(Path(player.__file__).parent / "playbooks", playbooks)
update = playbooks / player.PLAYBOOKS[Step.UPDATE]
text = update.read_text()
assert text.count(READ) == 1, f"{update} does not ask {READ} any more: plant the bug where it asks now"
update.write_text(text.replace(READ, "true"))
player.PLAYBOOKS[Step.UPDATE] = str(update)
commands.Wrapper.run = forgetful  # type: ignore[assignment,method-assign]
sys.exit(program.main())
