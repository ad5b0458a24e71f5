"""The command line of the stack."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from drydock_stack import (
    bench,
    demo,
    field,
    instance,
    java,
    preflight,
    prose,
    python_environment,
    second_checkout,
    setup,
    soak,
    stack,
    suite_run,
    suites,
    toolchain,
)
from drydock_stack.failure import StackError
from drydock_stack.lab import Lab
from drydock_stack.progress import say
from drydock_stack.server import Server

ROOT = Path(__file__).resolve().parents[3]
Action = Callable[[argparse.Namespace], int | None]


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        return int(options.action(options) or 0)
    except StackError as failure:
        sys.stderr.write(f"{failure}\n")
        return failure.exit_code
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 tools/stack", description="The embedded stack of this checkout.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, action: Action, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(action=action)
        return added

    def chosen(added: argparse.ArgumentParser, names: Sequence[str]) -> None:
        added.add_argument("--only", metavar="NAMES", type=lambda value: value.split(","), help=f"comma-separated, of {', '.join(names)}")

    command("setup", _setup, "install and build what is missing (Debian, root); elsewhere say what is needed and change nothing")
    command("instance", _instance, "print id, ports and subnet of this checkout as JSON")
    command("build", _build, "build the Java programs if a source changed")
    chosen(command("up", _up, "start what is not running and wait until it is ready"), stack.NAMES)
    chosen(command("down", _down, "stop everything, consumers and lab included"), stack.NAMES)
    command("status", _status, "show every process; exit code 1 if one of the four servers is not ready")
    command("java-home", _java_home, "print the folder of the JDK that builds and runs Drydock")
    command("lock", _lock, "write requirements.lock from requirements.in")
    command("prose", _prose, "let Vale read the pages for people; exit code 1 if it refuses a sentence")
    command("clean", _clean, "stop everything and remove what was built and all data of this checkout")
    command("demo", _demo, "set up, start all, upgrade the lab's hosts under traffic, and say what came of it")
    soaking = command("soak", _soak, "do seeded faults to the lock service on three etcd members, and check what came of it")
    soaking.add_argument("--runs", type=int, default=20)
    soaking.add_argument("--seed", type=int, default=1, help="of the first run; the others count on from it")
    crashing = command("soak-crash", _soak_crash, "kill every process a batch needs in every phase, and check what came of it")
    crashing.add_argument("--runs", type=int, default=1)
    crashing.add_argument("--seed", type=int, default=1, help="of the first run; the others count on from it")
    mending = command(
        "soak-remediation", _soak_remediation, "have something befall every host of the lab amid its upgrade, and check what came of it"
    )
    mending.add_argument("--seeds", type=int, default=14, help="how many rollouts over all hosts")
    mending.add_argument("--hosts", type=int, default=20, help="how many hosts the lab has")
    mending.add_argument("--seed", type=int, default=1, help="of the first; the others count on from it")
    staging = command("bench-staging", _bench_staging, "measure how long hosts are out of service with and without staging")
    staging.add_argument("--hosts", type=int, default=4, help="how many hosts the lab has")
    staging.add_argument("--rounds", type=int, default=1, help="of four rollouts over each link")
    command("field", _field, "run every case from the field, and say how many are right")
    test = command("test", _test, "run the test suites and print the minutes of each")
    test.add_argument("--full", action="store_true", help="also the suites that are too long for every change")
    chosen(test, suites.NAMES)
    return parser


def _setup(_: argparse.Namespace) -> None:
    preflight.require(ROOT)  # Before anything is written, the instance included.
    setup.run(instance.load(ROOT))
    java.build(ROOT)


def _instance(_: argparse.Namespace) -> None:
    sys.stdout.write(json.dumps(instance.load(ROOT).to_json(), indent=2) + "\n")


def _build(_: argparse.Namespace) -> None:
    java.build(ROOT)


def _up(options: argparse.Namespace) -> None:
    this = instance.load(ROOT)
    with stack.alone(this):
        stack.up(this, options.only)
    server = Server(this)
    if server.process.running():
        say(f"Drydock answers on {server.url}; cli/drydock speaks to it, tokens are in {this.state / 'token'}")


def _down(options: argparse.Namespace) -> None:
    this = instance.load(ROOT)
    with stack.alone(this):
        stack.down(this, options.only)
    if not options.only:
        second_checkout.down(ROOT)


def _status(_: argparse.Namespace) -> int:
    this = instance.load(ROOT)
    rows = stack.status(this)
    for name, state, details in rows:
        sys.stdout.write(f"{name:9} {state:9} {details}\n")
    sys.stdout.write(f"{'lab':9} {'running' if Lab(this).is_running() else 'stopped'}\n")
    return 0 if all(state == "ready" for name, state, _ in rows if name in stack.DEFAULT) else 1


def _demo(_: argparse.Namespace) -> int:
    preflight.require(ROOT)
    return demo.run(instance.load(ROOT))


def _soak(options: argparse.Namespace) -> None:
    preflight.require(ROOT)
    soak.locks(instance.load(ROOT), options.runs, options.seed)


def _soak_crash(options: argparse.Namespace) -> None:
    preflight.require(ROOT)
    soak.crashes(instance.load(ROOT), options.runs, options.seed)


def _soak_remediation(options: argparse.Namespace) -> None:
    preflight.require(ROOT)
    soak.remediation(instance.load(ROOT), options.seeds, options.hosts, options.seed)


def _bench_staging(options: argparse.Namespace) -> None:
    preflight.require(ROOT)
    bench.staging(instance.load(ROOT), options.hosts, options.rounds)


def _test(options: argparse.Namespace) -> int:
    preflight.require(ROOT)
    return suite_run.run(instance.load(ROOT), options.only, options.full)


def _field(_: argparse.Namespace) -> int:
    preflight.require(ROOT)
    return field.run(instance.load(ROOT))


def _java_home(_: argparse.Namespace) -> None:
    sys.stdout.write(f"{toolchain.java_home()}\n")


def _lock(_: argparse.Namespace) -> None:
    python_environment.lock(ROOT)


def _prose(_: argparse.Namespace) -> int:
    return prose.run(ROOT)


def _clean(_: argparse.Namespace) -> None:
    this = instance.load(ROOT)
    with stack.alone(this):
        stack.down(this)
    second_checkout.down(ROOT)
    stack.clean(ROOT)
