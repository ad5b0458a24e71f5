"""Planted violations of what policies say beyond numbers: each turns the observer red, and what is allowed does not."""

import datetime as dt
from pathlib import Path

import pytest
from drydock_observer.policies import Place, UnreadablePolicyError, budgets
from drydock_observer.watch import Watch

MONDAY = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC).timestamp()
HOUR = 3600.0
# a0 weighs 32 units, the others 8: 72 in all.
PLACES = {f"a{n}": Place("app", f"z{n // 2}", {"rack": f"r{n % 2}"}, 8 if n else 32) for n in range(6)}


class Story:
    """Six instances of `app` that are up at `MONDAY`, two in each zone; what is told then is judged."""

    def __init__(self, folder: Path, capacity: str, more: str = "") -> None:
        text = f"metadata: {{name: p}}\nspec:\n  applications: [app]\n  capacity: {capacity}\n  {more}\n"
        (folder / "p.yaml").write_text(text)
        self.watch = Watch(dict.fromkeys(PLACES, "app"), budgets(folder, PLACES))
        for name in PLACES:
            self.watch.saw(MONDAY - 60, name, available=True)

    def down(self, seconds: float, *names: str) -> "Story":
        for name in names:
            self.watch.saw(MONDAY + seconds, name, available=False)
        return self

    def up(self, seconds: float, *names: str) -> "Story":
        for name in names:
            self.watch.saw(MONDAY + seconds, name, available=True)
        return self

    def clean(self) -> None:
        assert self.watch.to_json()["details"] == []

    def broken(self, *says: str) -> None:
        details = self.watch.to_json()["details"]
        assert self.watch.violations == len(details) == len(says)
        assert all(said in detail for said, detail in zip(says, details, strict=True)), details


def test_two_zones_at_once(tmp_path: Path) -> None:
    one = Story(tmp_path, "[{maxZonesInFlight: 1}]").down(0, "a0", "a1").up(9, "a0", "a1").down(10, "a2")
    one.clean()
    one.down(11, "a4").up(12, "a4").down(13, "a5", "a3")
    one.broken("maxZonesInFlight 1 (p): down in z1, z2: a2, a4", "down in z1, z2: a2, a5")


def test_a_zone_is_not_left_before_all_of_it_is_up(tmp_path: Path) -> None:
    Story(tmp_path, "[{maxZonesInFlight: 1}]").down(0, "a0", "a1").up(9, "a0").down(10, "a2").broken("z0, z1")


def test_two_racks_at_once(tmp_path: Path) -> None:
    rule = "[{maxDomainsInFlight: {topologyKey: rack, max: 1}}]"
    Story(tmp_path, rule).down(0, "a0", "a2", "a4").clean()
    Story(tmp_path, rule).down(0, "a0", "a2", "a3").broken("down in r0, r1")


def test_a_large_instance_weighs_more_than_a_small_one(tmp_path: Path) -> None:
    rule = "[{minAvailable: {capacity: 41}}]"
    Story(tmp_path, rule).down(0, "a1", "a2", "a3").clean()
    one = Story(tmp_path, rule).down(0, "a0")
    one.broken("minAvailable {'capacity': 41} (p): 40 of 72 units up, 41 required: without a0")
    one.down(1, "a1").up(2, "a0").down(3, "a0")
    one.broken("without a0", "32 of 72 units up, 41 required: without a0, a1")


def test_a_share_of_the_capacity_rounds_up(tmp_path: Path) -> None:
    Story(tmp_path, "[{minAvailable: {capacity: 55%}}]").down(0, "a0").clean()
    Story(tmp_path, "[{minAvailable: {capacity: 56%}}]").down(0, "a0").broken("40 of 72 units up, 41 required")


def test_an_instance_twice_within_the_interval(tmp_path: Path) -> None:
    once = Story(tmp_path, "[{disruptionInterval: 1h}]").down(0, "a0").up(60, "a0").down(65, "a0").up(70, "a0")
    once.down(80, "a1").up(90, "a1").down(HOUR, "a0")
    once.clean()
    once.up(HOUR + 30, "a0").down(2 * HOUR - 1, "a0").broken("disruptionInterval 1h (p): a0 went down 3599.0 s after the last time")


def test_too_many_within_the_hour(tmp_path: Path) -> None:
    some = Story(tmp_path, "[{disruptionRate: {max: 34%, per: 1h}}]").down(0, "a0").up(9, "a0").down(60, "a1").up(99, "a1")
    some.down(HOUR, "a2").clean()
    some.down(HOUR + 59, "a3").broken("3 went down within 3600 s: a1, a2, a3")


@pytest.mark.parametrize(
    ("window", "seconds", "closed"),
    [
        ("{timezone: UTC, from: 10:00, to: 12:00}", 0, False),  # Begun in time.
        ("{timezone: UTC, from: 10:00, to: 12:00}", 121, True),
        ("{timezone: UTC, days: [Tue], from: 10:00, to: 18:00}", 0, True),
        ("{timezone: UTC, days: [Sun], from: '22:00', to: '13:00'}", 0, False),
        ("{timezone: UTC, days: [Mon], from: '22:00', to: '13:00'}", 0, True),
        ("{timezone: America/Los_Angeles, from: '05:00', to: '06:00'}", 0, False),
        ("{timezone: America/Los_Angeles, from: '04:00', to: '04:58'}", 0, True),
        ("{timezone: UTC, from: '00:00', to: '24:00'}", 12 * HOUR, False),
    ],
)
def test_outside_its_windows(tmp_path: Path, window: str, seconds: float, closed: bool) -> None:
    story = Story(tmp_path, "[{maxUnavailable: 3}]", f"windows: [{window}]\n  drain: {{timeout: 1m0s}}").down(seconds, "a0")
    story.broken("windows and blackouts (p): a0 went down at 2026-06-01") if closed else story.clean()


@pytest.mark.parametrize(
    ("blackout", "inside"),
    [
        ("from: 2026-05-30, to: 2026-06-01", True),
        ("from: 2026-05-30, to: 2026-05-31", False),
        ("from: 2026-06-01T11:00, to: 2026-06-01T13:00", True),
        ("timezone: Asia/Tokyo, from: 2026-06-02, to: 2026-06-02", False),
        ("timezone: Asia/Tokyo, from: 2026-06-01, to: 2026-06-01", True),
    ],
)
def test_in_a_blackout(tmp_path: Path, blackout: str, inside: bool) -> None:
    story = Story(tmp_path, "[{maxUnavailable: 3}]", f"blackouts: [{{{blackout}, reason: sale}}]\n  drain: {{timeout: 1s}}")
    story.down(0, "a0")
    story.broken("went down at 2026-06-01T12:00:00Z") if inside else story.clean()


def test_what_no_eyes_see_is_named(tmp_path: Path) -> None:
    story = Story(tmp_path, "[{maxUnavailable: 3}, {controller: {topic: t}}]", "health: {gates: [{promql: up > 0}]}")
    assert story.watch.to_json()["applications"]["app"]["unjudged"] == ["controller {'topic': 't'} (p)", "gate up > 0 (p)"]


@pytest.mark.parametrize("times", ["windows: [{timezone: Mars/Olympus, from: '09:00', to: '10:00'}]", "blackouts: [{from: x, to: y}]"])
def test_times_it_cannot_read_stop_it(tmp_path: Path, times: str) -> None:
    with pytest.raises(UnreadablePolicyError):
        Story(tmp_path, "[{maxUnavailable: 3}]", times)
