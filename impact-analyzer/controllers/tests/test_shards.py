"""What the example controller says."""

from drydock_controller.questions import ApprovalQuestion, Group, Instance
from drydock_controller.shards import decide


def ask(*groups: str, down: str = "") -> ApprovalQuestion:
    def instances(text: str) -> tuple[Instance, ...]:
        return tuple(Instance(one, "s", "z") for one in text.split())

    return ApprovalQuestion(tuple(Group(instances(group), begun=False) for group in groups), instances(down))


def test_one_replica_of_each_shard_may_go() -> None:
    said = decide(ask("s-1-a@h1", "s-1-b@h2", "s-2-a@h3"))
    assert (said["decision"], said["approved"], said["waiting"]) == ("Partial", ["s-1-a@h1", "s-2-a@h3"], ["s-1-b@h2"])
    assert said["reasons"] == [{"code": "ReplicaDown", "message": "two replicas of shard s-1 would be down: s-1-a@h1, s-1-b@h2"}]


def test_what_is_down_counts_and_only_once() -> None:
    assert decide(ask("s-1-a@h1", down="s-1-b@h2"))["decision"] == "Wait"
    assert decide(ask("s-1-a@h1", down="s-1-a@h1"))["decision"] == "Approved"


def test_a_group_goes_together_or_not_at_all() -> None:
    said = decide(ask("s-1-a@h1 s-2-a@h1", down="s-2-b@h2"))
    assert (said["approved"], said["waiting"]) == ([], ["s-1-a@h1", "s-2-a@h1"])


def test_a_closed_shard_is_denied() -> None:
    said = decide(ask("s-1-a@h1"), frozenset({"s-1"}))
    assert (said["decision"], said["reasons"][0]["code"]) == ("Denied", "ShardClosed")
