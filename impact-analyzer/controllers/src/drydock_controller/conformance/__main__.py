"""`python -m drydock_controller.conformance --topic T --fleet FILE [--timeout SECONDS] -- COMMAND...`

FILE names at least two of the controller's instances, one per line: instance, application, zone. COMMAND is started with
DRYDOCK_URL and DRYDOCK_TOKEN_FILE in its environment, killed and started again. Ends with 0 if the contract is kept, 1 if not.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from drydock_controller.conformance.suite import Suite
from drydock_controller.questions import Instance


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="drydock_controller.conformance", description=__doc__)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--fleet", required=True, type=Path)
    parser.add_argument("--timeout", type=int, default=10, help="seconds the policy gives it")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args(arguments)
    rows = [line.replace(",", " ").split() for line in given.fleet.read_text().splitlines() if line.strip()]
    suite = Suite(given.command, given.topic, [Instance(*row) for row in rows], given.timeout)
    findings = suite.run()
    for finding in findings:
        print(f"BROKEN {finding}")
    print(f"{suite.asked} questions, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
