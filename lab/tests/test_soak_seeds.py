"""Short runs of the soak on real clusters of three, with every fault there is; and one in which the checker must find something.

Named to come after the other tests of the soak, which go on while these runs wait.
"""

from concurrent.futures import Future

import pytest

from drydock_soak.outcome import Report

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("place", ["a", "b"])
def test_nothing_is_granted_twice_out_of_order_or_never(soak_runs: dict[str, Future[Report]], place: str) -> None:
    report = soak_runs[place].result()
    assert report.violations == (), f"{report.line()}; its histories are in .drydock/soak-{place}"
    assert report.too_few == [], report.line()


def test_without_the_fence_the_checker_finds_stale_effects(soak_runs: dict[str, Future[Report]]) -> None:
    report = soak_runs["c"].result()
    assert report.rules == {"stale effect"}, report.line()
