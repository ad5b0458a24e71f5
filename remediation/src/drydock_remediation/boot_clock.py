"""The clock that leases and waits are counted on."""

import time


def boot_clock() -> float:
    """Seconds on CLOCK_BOOTTIME: it counts suspend and no one can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
