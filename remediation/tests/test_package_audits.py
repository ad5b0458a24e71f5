"""Only what the audits complain about now and did not before is held against a host."""

from __future__ import annotations

from drydock_remediation.facts import HostFacts
from drydock_remediation.package_audits import new_complaints

from .fakes import recorded

# As dpkg --audit, rpm -V and dnf check print it.
HALF = """\
The following packages are only half configured, probably due to problems
configuring them the first time.  The configuration should be retried using
dpkg --configure <package> or the configure menu option in dselect:
 own-tool             for a test
"""
ANOTHER = " fleet-agent          for a test\n"
UNPACKED = """
The following packages have been unpacked but not yet configured.
They must be configured using dpkg --configure or the configure
menu option in dselect for them to work:
 fleet-os             for a test
"""
MODES = ".M.......    /usr/share/fleet-agent/VERSION"
CHECK = "own-tool-1.0-1.noarch has missing requires of nowhere\nError: Check discovered 1 problem(s)"


def test_the_same_is_nothing_new_and_of_a_clean_host_everything_is() -> None:
    for text in (HALF, HALF + UNPACKED, MODES, CHECK):
        assert new_complaints(text, text) == ""
        assert new_complaints("", text).split() == text.replace("Error: Check discovered 1 problem(s)", "").split()
    assert new_complaints(HALF, "") == ""


def test_one_package_more_is_told_with_what_is_wrong_with_it() -> None:
    assert new_complaints(HALF, HALF + ANOTHER) == HALF.replace(" own-tool             for a test\n", "") + ANOTHER.rstrip()
    assert new_complaints(HALF, HALF + UNPACKED) == UNPACKED.strip()
    assert new_complaints(UNPACKED, HALF + UNPACKED).rstrip() == HALF.rstrip()


def test_a_line_more_of_rpm_or_dnf_is_told_alone() -> None:
    more = "S.5......    /usr/share/fleet-os/VERSION"
    assert new_complaints(MODES, f"{MODES}\n{more}") == more
    two = CHECK.replace("1 problem", "2 problem").replace("nowhere\n", "nowhere\nb-1-1.noarch has missing requires of c\n")
    assert new_complaints(CHECK, two) == "b-1-1.noarch has missing requires of c"


def test_the_facts_of_a_host_have_only_what_is_new_since_the_first_effect() -> None:
    before = {"kernel": "6.1", "os_release": "x", "all_packages": "", "audit": HALF}
    assert HostFacts.read({**recorded(1), "before": before, "audit": HALF}).audit == ""
    assert "fleet-agent" in HostFacts.read({**recorded(1), "before": before, "audit": HALF + ANOTHER}).audit
    assert "own-tool" in HostFacts.read({**recorded(1), "before": None, "audit": HALF}).audit, "control: nobody knows what was before"
