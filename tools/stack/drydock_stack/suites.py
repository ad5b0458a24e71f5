"""The test suites in one list: what each proves and how it is run."""

import dataclasses

PYTEST = ("{python}", "-m", "pytest", "-q", "--durations=20", "--durations-min=1", "-m")
BY_DURATION = ("--splitting-algorithm=least_duration", "--durations-path=lab/e2e/durations.json")  # pytest's --store-durations writes them
NPM = ("npm", "--prefix", "web-ui", "run", "--silent")
WITHOUT_OTHERS = "not stack and not lab and not soak and not e2e and not vm and not gates and not full"
MAVEN = ("{maven}", "-B", "-ntp", "-Dstyle.color=never")


@dataclasses.dataclass(frozen=True)
class Suite:
    """Commands of which the first failure ends the suite.

    Suites of one ``lane`` run one after the other, lanes beside each other; those without a lane need all to themselves
    and run last. A lane is any name; what builds with Maven belongs to "java". ``stores``: PostgreSQL, etcd and Temporal of
    this checkout are up. ``beside``: it runs in a second checkout, with a stack and a lab of its own, so that it may stop
    what the user of this one runs. ``shares``: in so many of them beside each other, each with a share of the tests, since
    most of their time is spent waiting. ``packages``: a list of Debian packages that it needs beside those of set-up.
    ``full``: too long for every change.
    """

    name: str
    proves: str
    commands: tuple[tuple[str, ...], ...]
    lane: str | None = None
    seconds: float = 900
    stores: bool = False
    beside: bool = False
    shares: int = 1
    packages: str = ""
    full: bool = False


SUITES = (
    Suite(
        "lint",
        "style, lint and types of Python, style of Java and of prose; and that these checks and the compiler's can say no",
        (
            ("{python}", "-m", "ruff", "check", "."),
            ("{python}", "-m", "ruff", "format", "--check", "."),
            ("{python}", "-m", "mypy"),
            ("{python}", "-m", "mypy", "lab/e2e"),
            (*MAVEN, "-q", "spotless:check"),
            ("{python}", "tools/stack", "prose"),
            (*PYTEST, "gates"),
        ),
        lane="web",
        packages="tools/vale/apt-packages.txt",
    ),
    Suite(
        "java",
        "Java: the pure cores, and each component on the real PostgreSQL, etcd and Temporal",
        ((*MAVEN, "-T1C", "--fail-at-end", "verify", "-Dexcluded.test.groups=lab,containers,prometheus,full", "-Dprop.seed={seed}"),),
        lane="java",
        seconds=2700,
        stores=True,
    ),
    Suite(
        "web",
        "the console: style, lint, types and tests without a browser",
        tuple((*NPM, script) for script in ("format:check", "lint", "typecheck", "test")),
        lane="web",
    ),
    Suite(
        "python",
        "Python without servers or hosts",
        ((*PYTEST, WITHOUT_OTHERS),),
        lane="python",
    ),
    Suite("stack", "the embedded stack itself: crash, restart, data kept", ((*PYTEST, "stack and not full"),), lane="python"),
    Suite(
        "lab",
        "real lab hosts: boot, packages, wrapper, traffic",
        ((*PYTEST, "lab and not e2e and not full"),),
        lane="python",
    ),
    Suite(
        "soak",
        "the lock service on three etcd members while these, servers and clients fail",
        ((*PYTEST, "soak and not full"),),
    ),
    Suite(
        "e2e",
        "whole rollouts over stack and lab, with controls and kills",
        ((*PYTEST, "e2e and not full", "--splits={shares}", "--group={share}", *BY_DURATION),),
        seconds=2700,
        beside=True,
        shares=2,
    ),
    Suite(
        "rounds",
        "random tests with all their rounds",
        (
            (
                *(*MAVEN, "test", "-pl", "lock-service/core,impact-analyzer/simulation", "-am", "-Dprop.seed={seed}", "-Dprop.runs=400"),
                *("-Dsimulation.runs=300", "-Dtest=GrantorPassPropertyTest,StarvationTest,SimulationTest#keepsEveryPromise"),
                "-Dsurefire.failIfNoSpecifiedTests=false",
            ),
            (
                *(*MAVEN, "test", "-pl", "orchestrator", "-am", "-Dprop.seed={seed}", "-Dprop.runs=200", "-Dtest=PendingBatchesTest"),
                *("-Dsurefire.failIfNoSpecifiedTests=false", "-Dexcluded.test.groups=lab,containers,prometheus"),
            ),
        ),
        seconds=1800,
        stores=True,
        full=True,
    ),
    Suite(
        "halts",
        "a thousand rollouts in which nothing fails, on PostgreSQL, and none is halted",
        (
            (
                *(*MAVEN, "test", "-pl", "orchestrator", "-am", "-Dtest=FalseHaltTest", "-Dhalts.seed={seed}", "-Dhalts.runs=1000"),
                *("-Dsurefire.failIfNoSpecifiedTests=false", "-Dexcluded.test.groups=lab,containers,prometheus"),
            ),
        ),
        stores=True,
        full=True,
    ),
    Suite(
        "java-full",
        "Java: more ways in which processes and stores are lost, and the controls that take long",
        ((*MAVEN, "-T1C", "--fail-at-end", "test", "-Dtest.groups=full", "-Dexcluded.test.groups=none"),),
        stores=True,
        full=True,
    ),
    Suite(
        "adapter",
        "the static adapter on a real host behind the real balancer",
        (
            ("{python}", "-m", "drydock_lab", "up"),
            (*MAVEN, "test", "-pl", "scheduler-adapters/static", "-am", "-Dtest.groups=lab", "-Dexcluded.test.groups=none"),
        ),
        full=True,
    ),
    Suite(
        "containers",
        "etcd members in containers, one of them cut from the network",
        (
            (
                *("{python}", "-m", "drydock_lab", "engine", "--etcd", "{etcd}", *MAVEN, "test", "-pl", "lock-service/soak", "-am"),
                *("-Dtest.groups=containers", "-Dexcluded.test.groups=none"),
            ),
        ),
        packages="lab/container-packages.txt",
        full=True,
    ),
    Suite(
        "vm",
        "a machine with firmware, disks and a kernel of its own is re-imaged by a rollout",
        ((*PYTEST, "vm"),),
        seconds=2700,
        packages="lab/vm-packages.txt",
        full=True,
    ),
    Suite(
        "long",
        "every crash point and fault",
        ((*PYTEST, "full and not e2e"), (*PYTEST, "full and e2e")),
        seconds=14400,
        beside=True,
        full=True,
    ),
)
NAMES = tuple(suite.name for suite in SUITES)
