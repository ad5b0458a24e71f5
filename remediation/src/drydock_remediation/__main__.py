"""python -m drydock_remediation [--once]"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import threading
from functools import partial

from drydock_api.client import BoardError
from drydock_remediation import metrics
from drydock_remediation.board import HttpBoard
from drydock_remediation.commands import Wrapper
from drydock_remediation.health.redfish import RedfishMachineReader
from drydock_remediation.log import configure_log
from drydock_remediation.operator import Operator
from drydock_remediation.package_reading import read_packages
from drydock_remediation.package_watch import PackageWatch
from drydock_remediation.player import AnsiblePlayer
from drydock_remediation.reimage.machines import RealMachines
from drydock_remediation.settings import SettingsError, read_settings

LOG = logging.getLogger("drydock_remediation")


def main() -> int:
    parser = argparse.ArgumentParser(prog="drydock_remediation", description="Updates hosts and judges their health for Drydock.")
    parser.add_argument("--once", action="store_true", help="work on what is claimable now, then end")
    once = parser.parse_args().once
    configure_log()
    try:
        settings = read_settings()
        player = AnsiblePlayer(settings)
        player.check_version()
        if settings.metrics:
            metrics.serve(*settings.metrics)
    except (SettingsError, RuntimeError, OSError) as error:
        LOG.error("cannot start: %s", error)  # noqa: TRY400 - the sentence says it all
        return 2
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    machines = RealMachines(settings.ssh, Wrapper(settings.wrapper), settings.bmcs)
    looks = RedfishMachineReader(settings.bmcs) if settings.bmcs else None
    board = HttpBoard(settings.url, settings.token_file)
    operator = Operator(board, player, settings, stopping, machines, looks)
    LOG.info("working for %s as %s", settings.url, settings.consumer)
    if not once:
        if settings.watch_seconds:
            watch = PackageWatch(board, partial(read_packages, settings.ssh), settings.watch_seconds, settings.watch_at_once, stopping)
            threading.Thread(target=watch.run, name="package watch", daemon=True).start()
        operator.run()
        return 0
    try:
        operator.take()
    except BoardError as error:
        LOG.error("%s", error)  # noqa: TRY400
        return 1
    finally:
        operator.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
