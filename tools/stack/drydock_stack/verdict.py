"""What the demo claims at its end, and whether it may."""

import dataclasses
from typing import Any

REQUESTS_AT_LEAST = 1000
PROBES_PER_SECOND_AT_LEAST = 5.0


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Numbers of the witnesses and of the hosts themselves; Drydock's own view is only one of several."""

    hosts: int
    upgraded: int
    violations: int
    requests: int
    failed: int
    problems: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        return (
            f"demo: {self.upgraded} of {self.hosts} hosts upgraded, {self.violations} budget violations, "
            f"{self.failed} of {self.requests} requests failed"
        )

    @property
    def passed(self) -> bool:
        """Only the full claim passes; what could not be counted was put into ``problems``."""
        whole = self.hosts > 0 and self.upgraded == self.hosts and self.requests > REQUESTS_AT_LEAST
        return whole and self.violations == 0 and self.failed == 0 and not self.problems


def judge(
    differences: dict[str, str],
    states: dict[str, str],
    rollout_code: int,
    observed: dict[str, Any],
    traffic: dict[str, Any],
) -> Verdict:
    """A host counts as upgraded only if Drydock says so *and* the host itself runs the release.

    ``differences``: what each host of the lab says (empty: all as released); ``states``: what Drydock says of each.
    """
    problems = [f"{host} is not on the release: {text}" for host, text in differences.items() if text]
    problems += [f"Drydock says {states.get(host, 'nothing')} of {host}" for host in differences if states.get(host) != "Upgraded"]
    if rollout_code != 0:
        problems.append(f"`drydock rollout start --watch` ended with code {rollout_code}")
    problems += _observer_problems(observed)
    if not traffic.get("finished"):
        problems.append("the traffic generator has no final report")
    if traffic.get("notSent"):
        problems.append(f"{traffic['notSent']} requests could not be sent in time")
    if int(traffic.get("requests", 0)) <= REQUESTS_AT_LEAST:
        problems.append(f"only {traffic.get('requests', 0)} requests were sent; more than {REQUESTS_AT_LEAST} are needed to claim anything")
    upgraded = sum(1 for host, text in differences.items() if not text and states.get(host) == "Upgraded")
    violations = int(observed.get("violations", 0))
    return Verdict(len(differences), upgraded, violations, int(traffic.get("requests", 0)), int(traffic.get("failed", 0)), tuple(problems))


def _observer_problems(observed: dict[str, Any]) -> list[str]:
    """An observer that saw too little has no opinion."""
    if not observed.get("finished"):
        return ["the observer has no final report"]
    problems = [f"the observer has no budget for {name}" for name in observed.get("withoutBudget", [])]
    problems += [f"the observer never saw {name}" for name in observed.get("notSeen", [])]
    rate = float(observed.get("fewestProbesPerSecond", 0))
    if rate < PROBES_PER_SECOND_AT_LEAST:
        problems.append(f"the observer probed an instance only {rate} times a second; {PROBES_PER_SECOND_AT_LEAST} are needed")
    return problems


def observer_lines(observed: dict[str, Any]) -> list[str]:
    """Its numbers for people: all probes, then how far each application went down."""
    rate = observed.get("fewestProbesPerSecond", 0)
    lines = [
        f"observer: {observed.get('probes', 0)} probes of {observed.get('instances', 0)} instances, each at least {rate} times a second"
    ]
    for name, application in observed.get("applications", {}).items():
        counts = f"never fewer than {application['minimum']} of {application['instances']} up, {application['required']} required"
        broken = application.get("broken", [])
        lines.append(f"  {name}: {counts}, {len(application['violations']) + len(broken)} violations")
        lines += [f"    {limit['says']}" for limit in broken[:5]]
        lines += [f"    {violation['minimum']} up without {', '.join(violation['down'])}" for violation in application["violations"][:5]]
    return lines


def traffic_line(traffic: dict[str, Any]) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in traffic.get("byKind", {}).items()) or "none"
    requests = f"{traffic.get('requests', 0)} requests, {traffic.get('slow', 0)} of them 3 to 10 s long"
    return f"traffic: {requests}; failed: {kinds}; p99 {traffic.get('p99Millis')} ms beyond the time asked for"
