"""The judge of the shared hosts is no yes-man: hand-made visits that overlap are found, those that do not are not."""

import math

from host_access import HostAccess, meetings, of_journal, of_runs


def visit(who: str, begin: float, end: float, host: str = "h01") -> HostAccess:
    return HostAccess(host, begin, end, who)


def test_visits_after_one_another_and_on_different_hosts_are_no_meeting() -> None:
    assert meetings([visit("play", 1, 2), visit("rollout", 2, 3), visit("fleetlock", 3.5, 4)]) == []
    assert meetings([visit("play", 1, 4), visit("rollout", 2, 3, host="h02")]) == []


def test_visits_that_overlap_are_found_in_whatever_order_they_are_told() -> None:
    long, inside, across = visit("rollout", 1, 9), visit("play", 2, 3), visit("fleetlock", 8, 10)
    assert meetings([across, inside, long]) == [(long, inside), (long, across)]


def test_two_visits_of_one_actor_must_not_overlap_either() -> None:
    assert len(meetings([visit("rollout", 1, 3), visit("rollout", 2, 4)])) == 1


def test_who_was_not_seen_to_leave_meets_everybody_who_comes_later() -> None:
    lines = ["enter play 1.5", "enter rollout 2.5", "leave rollout 3.5"]
    open_visit, closed = sorted(of_journal("h01", lines))
    assert open_visit == visit("play", 1.5, math.inf) and closed == visit("rollout", 2.5, 3.5)
    assert meetings([open_visit, closed]) == [(open_visit, closed)]


def test_who_enters_twice_or_only_leaves_was_there_all_the_time() -> None:
    assert of_journal("h01", ["enter play 1", "enter play 5", "leave play 6"]) == [visit("play", 1, math.inf), visit("play", 5, 6)]
    assert of_journal("h01", ["leave play 6"]) == [visit("play", -math.inf, 6)]


def test_a_rollout_is_on_a_host_from_the_first_to_the_last_run_of_each_of_its_grants() -> None:
    earlier, first = ["g-9.Drain/cmd 1"], ["g-1.Cordon.1.cordon/cmd 10.5", "g-1.Cordon.1.cordon/rc 10.6", "g-1.Update.reboot/cmd 20"]
    lines = [*earlier, *first, "g-2.Cordon.1.cordon/cmd 30"]
    assert of_runs("h01", lines, since=5) == [visit("rollout", 10.5, 20), visit("rollout", 30, 30)]
