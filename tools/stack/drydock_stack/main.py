"""The command line of the stack."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from drydock_stack import cache, instance, stack
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance

ROOT = Path(__file__).resolve().parents[3]


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        return int(options.action(instance.load(ROOT), options) or 0)
    except StackError as failure:
        sys.stderr.write(f"{failure}\n")
        return failure.exit_code
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 tools/stack", description="The embedded stack of this checkout.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, action: object, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(action=action)
        return added

    command("instance", _instance, "print id, ports and subnet of this checkout as JSON")
    for name, action, text in (
        ("up", _up, "start what is not running and wait until it is ready"),
        ("down", _down, "stop everything, consumers and lab included"),
    ):
        names = f"comma-separated, of {', '.join(stack.NAMES)}"
        command(name, action, text).add_argument("--only", metavar="NAMES", type=lambda value: value.split(","), help=names)
    command("status", _status, "show every process; exit code 1 if one of the four servers is not ready")
    return parser


def _instance(this: Instance, _: argparse.Namespace) -> None:
    sys.stdout.write(json.dumps(this.to_json(), indent=2) + "\n")


def _up(this: Instance, options: argparse.Namespace) -> None:
    with _alone(this):
        stack.up(this, options.only)


def _down(this: Instance, options: argparse.Namespace) -> None:
    with _alone(this):
        stack.down(this, options.only)


def _status(this: Instance, _: argparse.Namespace) -> int:
    rows = stack.status(this)
    for name, state, details in rows:
        sys.stdout.write(f"{name:10} {state:9} {details}\n")
    return 0 if all(state == "ready" for name, state, _ in rows if name in stack.DEFAULT) else 1


def _alone(this: Instance):  # noqa: ANN202
    return cache.locked(this.state / "stack.lock", "another command on this checkout's stack", seconds=900)
