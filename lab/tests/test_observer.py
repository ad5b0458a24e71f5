"""The observer judges by itself, and shares no code with what it judges."""

import ast
import sys
from pathlib import Path

import drydock_observer
import pytest
from drydock_observer.policies import Budget, Place, Rule, UnreadablePolicyError, budgets
from drydock_observer.watch import Watch

PACKAGE = Path(str(drydock_observer.__file__)).parent


def test_it_imports_nothing_of_ours() -> None:
    allowed = {*sys.stdlib_module_names, "yaml", "drydock_observer"}
    foreign = {}
    for path in PACKAGE.rglob("*.py"):
        found = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, "relative imports could leave the package unseen"
                found.add(str(node.module).split(".")[0])
        foreign[path.name] = found - allowed
    assert len(foreign) >= 4
    assert {name: found for name, found in foreign.items() if found} == {}


@pytest.mark.parametrize(
    ("rule", "desired", "required"),
    [
        (Rule("p", "maxUnavailable", 40, percent=True), 10, 6),
        (Rule("p", "maxUnavailable", 35, percent=True), 6, 4),
        (Rule("p", "maxUnavailable", 10, percent=True), 9, 9),
        (Rule("p", "maxUnavailable", 2, percent=False), 6, 4),
        (Rule("p", "minAvailable", 4, percent=False), 6, 4),
        (Rule("p", "minAvailable", 50, percent=True), 7, 3),
    ],
)
def test_percentages_round_down(rule: Rule, desired: int, required: int) -> None:
    assert rule.required(desired) == required


def test_the_strictest_rule_of_all_policies_counts(tmp_path: Path) -> None:
    write(tmp_path, "a", "[web, search]", "[{maxUnavailable: 50%}, {minAvailable: 3}]")
    write(tmp_path, "b", "[web]", "[{maxUnavailable: 1}]")
    found = budgets(tmp_path, places(web=10, search=4, ads=2))
    assert {name: budget.required for name, budget in found.items()} == {"web": 9, "search": 3}


def test_the_policy_may_say_how_many_are_desired(tmp_path: Path) -> None:
    write(tmp_path, "a", "[web]", "[{maxUnavailable: 1}]", "desired: 12")
    assert budgets(tmp_path, places(web=10))["web"].required == 11


@pytest.mark.parametrize(
    "capacity",
    [
        "[{maxZones: 1}]",
        "[{maxDomainsInFlight: {topologyKey: row, max: 1}}]",
        "[{disruptionInterval: 1d}]",
        "[{maxUnavailable: some}]",
        "[{maxUnavailable: 1, minAvailable: 1}]",
        "5",
    ],
)
def test_a_rule_it_cannot_judge_stops_it(tmp_path: Path, capacity: str) -> None:
    write(tmp_path, "a", "[web]", capacity)
    with pytest.raises(UnreadablePolicyError):
        budgets(tmp_path, places(web=10))


def test_a_violation_begins_below_the_budget_and_ends_at_it() -> None:
    watch = watching(3, required=2)
    watch.saw(1.0, "a0", available=False)
    assert watch.violations == 0
    watch.saw(2.0, "a1", available=False)
    watch.saw(2.5, "a2", available=False)
    assert watch.violations == 1
    watch.saw(3.0, "a2", available=True)
    watch.saw(4.0, "a1", available=True)
    watch.saw(5.0, "a1", available=False)
    assert watch.violations == 2
    first, second = watch.to_json()["applications"]["app"]["violations"]
    assert (first["from"], first["to"], first["minimum"], first["down"]) == (2.0, 4.0, 0, ["a0", "a1", "a2"])
    assert second["to"] is None
    assert watch.to_json()["details"][1].startswith("app: 1 up, 2 required, for the rest of the time")


def test_nothing_is_judged_before_every_instance_was_seen() -> None:
    watch = Watch({"a0": "app", "a1": "app"}, {"app": Budget(2, (Rule("p", "maxUnavailable", 0, percent=False),))})
    watch.saw(1.0, "a0", available=True)
    assert watch.violations == 0
    assert watch.to_json()["notSeen"] == ["a1"]
    watch.saw(2.0, "a1", available=False)
    assert watch.violations == 1


def test_an_application_without_a_budget_is_named() -> None:
    assert Watch({"a0": "app"}, {}).to_json()["withoutBudget"] == ["app"]


def places(**applications: int) -> dict[str, Place]:
    return {
        f"{name}@h{n}": Place(name, f"z{n // 2}", {"rack": f"r{n // 2}"}) for name, number in applications.items() for n in range(number)
    }


def watching(instances: int, required: int) -> Watch:
    names = {f"a{n}": "app" for n in range(instances)}
    watch = Watch(names, {"app": Budget(instances, (Rule("p", "minAvailable", required, percent=False),))})
    for name in names:
        watch.saw(0.0, name, available=True)
    return watch


def write(folder: Path, name: str, applications: str, capacity: str, more: str = "") -> None:
    text = f"metadata: {{name: {name}}}\nspec:\n  applications: {applications}\n  capacity: {capacity}\n  {more}\n"
    (folder / f"{name}.yaml").write_text(text)
