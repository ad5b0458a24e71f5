"""What clients had the right to believe, and what came of their effects on hosts."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drydock_soak.checker.records import Commit, ReportedState
from drydock_soak.checker.violation import Violation
from drydock_soak.nemesis import LEADER_FAULTS, LEADER_PAUSED, Done
from drydock_soak.register import Effect

REVOKES_WITHIN_NS = 3_000_000_000

# etcd waits for a linearizable read for no longer than 5 s and two election timeouts of 1 s, and revokes if it leads by then.
REVOKES_ELECTED_AGAIN_WITHIN_NS = 9_000_000_000


@dataclass
class Claim:
    """A client's right to its hosts: from the answer that said so until its own deadline, or until it asked for the release.

    A hold lives by no lease.
    """

    id: str
    tokens: Mapping[str, int]
    begin: int
    end: int
    told_lost: int | None = None
    refused: tuple[int, str] | None = None
    revoked: int | None = None
    hold: bool = False


def claims(lines: Iterable[ReportedState]) -> list[Claim]:
    found: dict[str, Claim] = {}
    for line in sorted(lines, key=lambda one: one.at):
        if line.what == "held":
            found[line.id] = Claim(line.id, line.details["tokens"], line.at, line.details["until"], hold=line.details.get("hold", False))
            continue
        claim = found.get(line.id)
        if claim is None:
            continue
        if line.what == "renewed":
            claim.end = line.details["until"]
        elif line.what == "release":
            claim.end = min(claim.end, line.at)
        elif line.what == "lost":
            claim.told_lost = line.at
        elif line.what == "stale":
            claim.refused = (line.at, line.details["host"])
    return list(found.values())


def check_claims(found: Sequence[Claim]) -> list[Violation]:
    """Never two holders of one host at a time, and what was promised until a deadline is kept until then."""
    violations = []
    by_host: dict[str, list[Claim]] = defaultdict(list)
    for claim in found:
        for host in claim.tokens:
            by_host[host].append(claim)
        excused = claim.revoked is not None and claim.told_lost is not None and claim.revoked <= claim.told_lost
        if claim.told_lost is not None and claim.told_lost < claim.end and not excused:
            early = (claim.end - claim.told_lost) / 1e9
            violations.append(Violation("lost early", f"{claim.id} lost its hosts {early:.3f} s before the end of its lease"))
        if claim.refused and claim.refused[0] < claim.end:
            violations.append(Violation("holder refused", f"an effect of {claim.id} on {claim.refused[1]} was refused, though it held it"))
    for host, sharing in sorted(by_host.items()):
        sharing.sort(key=lambda claim: claim.begin)
        for one, other in zip(itertools.accumulate(sharing, _later), sharing[1:], strict=False):
            both = (min(one.end, other.end) - other.begin) / 1e9
            if both > 0:
                violations.append(Violation("two holders", f"{one.id} and {other.id} both had {host} for {both:.3f} s"))
    return violations


def _later(one: Claim, other: Claim) -> Claim:
    return max(one, other, key=lambda claim: claim.end)


def revoked_by_a_resumed_leader(found: Sequence[Claim], commits: Iterable[Commit], faults: Sequence[Done]) -> int:
    """Marks the claims whose leases etcd itself took away, and says how many these were.

    For a moment after a paused leader goes on it revokes what it did not see renewed, before it learns that there is another
    one; or somewhat later, if it is elected again because something befell that one (docs/adr/0015). Their holders may be told
    early that they lost their hosts; their right goes on all the same, and nobody else may have one until its end
    (docs/adr/0017).
    """
    resumed = [done.end for done in faults if done.kind == LEADER_PAUSED]
    befell = [done.begin for done in faults if done.kind in LEADER_FAULTS]

    def revokes(end: int, at: int) -> bool:
        elected_again = any(end <= begin < at for begin in befell)
        return end <= at < end + (REVOKES_ELECTED_AGAIN_WITHIN_NS if elected_again else REVOKES_WITHIN_NS)

    taken = 0
    for commit, claim in _ends(found, commits):
        if any(revokes(end, commit.at) for end in resumed):
            claim.revoked = commit.at
            taken += 1
    return taken


def check_leases(found: Sequence[Claim], commits: Iterable[Commit]) -> list[Violation]:
    """etcd keeps every lease and every term for as long as its client was told, unless a paused leader went on."""
    return [
        Violation("lease ended early", f"that of {claim.id} ended {(claim.end - commit.at) / 1e9:.3f} s before its time")
        for commit, claim in _ends(found, commits)
        if claim.revoked is None
    ]


def _ends(found: Sequence[Claim], commits: Iterable[Commit]) -> Iterable[tuple[Commit, Claim]]:
    """Where what a claim lives by went while its client had the right to believe in it."""
    living: dict[str, list[Claim]] = defaultdict(list)
    for claim in found:
        if not claim.hold:
            living[claim.id].append(claim)
    for commit in commits:
        for change in commit.changes:
            section, _, name = change.key.partition("/")
            for claim in living[name] if section in ("alive", "term") and change.value is None else ():
                if claim.begin < commit.at < claim.end:
                    yield commit, claim


def check_effects(effects: Iterable[Effect], tokens: Mapping[tuple[str, int], str]) -> list[Violation]:
    """On each host effects come in the order of their tokens, and each token is that of the lock it names."""
    violations = []
    highest: dict[str, Effect] = {}
    for effect in effects:
        if not effect.accepted:
            continue
        if tokens.get((effect.host, effect.token)) != effect.id:
            violations.append(
                Violation("made-up token", f"{effect.id} acted on {effect.host} with {effect.token}, which is no lock of its")
            )
        last = highest.get(effect.host)
        if last and effect.token < last.token:
            violations.append(
                Violation(
                    "stale effect",
                    f"{effect.id} acted on {effect.host} after {last.id}, which got it later ({effect.token} < {last.token})",
                )
            )
        else:
            highest[effect.host] = effect
    return violations
