"""The demo: the lab's hosts go from release 1 to release 2 while requests are served, and two witnesses watch."""

import sys
import time
from typing import Any

from drydock_stack import access, java, planted, release_check, setup, stack, verdict
from drydock_stack.client import Client
from drydock_stack.failure import StackError
from drydock_stack.instance import Instance
from drydock_stack.lab import Lab
from drydock_stack.progress import say
from drydock_stack.server import Server
from drydock_stack.witnesses import Observer, Traffic

RELEASE = "2"
EARLIER_SECONDS = 600
KNOWN_SECONDS = 90
ROLLOUT_SECONDS = 1200
REQUESTS_SECONDS = 120
POLL_SECONDS = 0.5


def run(instance: Instance) -> int:
    """Sets up, starts everything, upgrades, and tells what came of it. 0 only if the whole claim is true."""
    plant = planted.wanted()
    setup.run(instance)
    java.build(instance.root)
    lab, client = Lab(instance), Client(instance, "admin")
    with stack.alone(instance):
        stack.stop_outdated(instance)
        stack.up(instance)
        say("bringing up the lab")
        lab.up()
        # New ones, so that what an earlier demo planted in their environment is gone.
        stack.down(instance, ["operator", "adapter", "traffic", "observer"])
        stack.up(instance, ["adapter", "operator"])
    _wait_for_earlier_rollouts(client)
    say("returning all hosts to release 1")
    lab.reset()
    _wait_until_known(client, lab)
    client.must("policy", "apply", *(str(policy) for policy in sorted((lab.folder / "policies").glob("*.yaml"))))
    release_file = lab.folder / "releases" / f"{RELEASE}.json"
    client.must("release", "add", str(release_file))
    outcome = _upgrade_under_traffic(instance, lab, client, plant)
    differences = release_check.upgraded(lab, release_file)
    return tell(instance, differences, *outcome, Observer(instance).report(), Traffic(instance).report())


def _upgrade_under_traffic(instance: Instance, lab: Lab, client: Client, plant: str | None) -> tuple[list[str], dict[str, str], int]:
    """The rollouts, what Drydock says of each host at the end, and the exit code of the watched rollout."""
    traffic, observer = Traffic(instance), Observer(instance)
    before = {rollout["id"] for rollout in client.ask("rollout", "list")}
    try:
        with stack.alone(instance):
            stack.up(instance, ["traffic", "observer"])
        with planted.planted(plant, lab, observer):
            arguments = ["rollout", "start", "--hosts", str(lab.folder / "hosts.txt"), "--release", RELEASE, "--watch"]
            code = client.run(*arguments, seconds=ROLLOUT_SECONDS)
        traffic.wait_for(verdict.REQUESTS_AT_LEAST, REQUESTS_SECONDS)
    finally:
        stack.down(instance, ["traffic", "observer"])  # Traffic first: it ends its open requests, still observed.
    started = [rollout["id"] for rollout in client.ask("rollout", "list") if rollout["id"] not in before]
    return started, {host: state for rollout in started for host, state in client.host_states(rollout).items()}, code


def _wait_for_earlier_rollouts(client: Client) -> None:
    """A demo that was interrupted goes on in the background; its hosts must not be reset beneath it."""
    deadline = time.monotonic() + EARLIER_SECONDS
    told = False
    while running := [rollout["id"] for rollout in client.ask("rollout", "list") if rollout["state"] == "Running"]:
        if time.monotonic() > deadline:
            raise StackError(
                f"Rollouts {', '.join(running)} of an earlier demo still run; look at them, or start afresh with `make clean`."
            )
        if not told:
            say(f"waiting for {', '.join(running)}, which an earlier demo began")
            told = True
        time.sleep(POLL_SECONDS)
    locked = [lock["id"] for lock in client.ask("lock", "list") if lock["state"] == "Held"]
    if locked:
        raise StackError(
            f"Hosts are still held ({', '.join(locked)}: `cli/drydock lock list`); end these holds or start afresh with `make clean`."
        )


def _wait_until_known(client: Client, lab: Lab) -> None:
    """The adapter tells the server of every host and instance; only then can a rollout name them."""
    deadline = time.monotonic() + KNOWN_SECONDS
    while missing := sorted(set(lab.hosts()) - _healthy_hosts(client)):
        if time.monotonic() > deadline:
            raise StackError(f"The adapter did not report {', '.join(missing)} healthy within {KNOWN_SECONDS} s: see log/adapter.log.")
        time.sleep(POLL_SECONDS)


def _healthy_hosts(client: Client) -> set[str]:
    return {
        host["name"]
        for host in client.ask("host", "list")
        if host["instances"] and all(instance["health"] == "Healthy" for instance in host["instances"])
    }


def next_steps(instance: Instance, rollouts: list[str]) -> list[str]:
    """What somebody who sees this for the first time may do now: the stack is still up."""
    token = access.token_file(instance.state, "admin")
    last = rollouts[-1] if rollouts else "r1"
    return [
        "",
        f"The stack is still up. The console: {Server(instance).url}, with the token in {token}",
        "What to look at next:",
        "  cli/drydock whoami                    who you are: the administrator of this checkout",
        f"  cli/drydock rollout report {last:<10} what was changed on which hosts",
        f"  cli/drydock audit verify {last:<12} whether every promise was kept, from the logs",
        "  cli/drydock host why h01              why a host went when it did",
        f"  cli/drydock rollout revert {last:<10} back to release 1, under the same rules",
        "  tools/python -m drydock_lab status    the hosts themselves; make down stops everything",
        "",
    ]


def tell(
    instance: Instance,
    differences: dict[str, str],
    rollouts: list[str],
    states: dict[str, str],
    rollout_code: int,
    observed: dict[str, Any],
    traffic: dict[str, Any],
) -> int:
    result = verdict.judge(differences, states, rollout_code, observed, traffic)
    lines = [*verdict.observer_lines(observed), verdict.traffic_line(traffic)]
    lines += [f"not as it should be: {problem}" for problem in result.problems]
    lines += next_steps(instance, rollouts)
    sys.stdout.write("\n".join([*lines, result.line]) + "\n")
    sys.stdout.flush()
    return 0 if result.passed else 1
