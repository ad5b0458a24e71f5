"""The applications of hosts as services of runit: what runs them, and how they come to a host."""

from __future__ import annotations

from pathlib import Path

from drydock_lab.plan import Application, HostPlan


def program(application: Application) -> str:
    """What starts it, whichever host it is deployed on: the runtime comes with the image, the application does not."""
    return f"""\
#!/bin/sh
exec 2>&1
mkdir -p /var/log/fleet && date +%s >> /var/log/fleet/{application.name}.starts
exec /usr/bin/python3 -I -S /usr/lib/fleet/application.py {application.name} {application.port}
"""


# With the name and the program of one of them. What is there stays as it is.
GIVE = """[ -e "/etc/service/$0" ] || {
mkdir -p "/etc/sv/$0" && printf %s "$1" > "/etc/sv/$0/run" && chmod 755 "/etc/sv/$0/run" && ln -s "/etc/sv/$0" "/etc/service/$0"; }"""


def deploy(root: Path, host: HostPlan) -> None:
    """Puts those of the host below its root, as their teams did once; after an installation its scheduler does."""
    for application in host.applications:
        run = root / "etc/sv" / application.name / "run"
        run.parent.mkdir(parents=True)
        run.write_text(program(application))
        run.chmod(0o755)
        enabled = root / "etc/service" / application.name
        enabled.parent.mkdir(parents=True, exist_ok=True)
        enabled.symlink_to(f"/etc/sv/{application.name}")
