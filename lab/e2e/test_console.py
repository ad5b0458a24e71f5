"""The console in a real browser: sign-in, start, watch through a restart of the server, done."""

import pytest
from browser import in_browser
from fleet import Fleet

pytestmark = pytest.mark.e2e

HOSTS = 2


def test_a_rollout_is_started_and_watched_in_the_console(fleet: Fleet) -> None:
    in_browser(fleet, "console", fleet.lab.hosts()[:HOSTS])
