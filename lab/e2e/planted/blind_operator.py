"""The host operator with its leases planted out: the control of the test that stops it."""

import math
import sys

from drydock_remediation import __main__ as program
from drydock_remediation.lease import Lease

Lease.valid = lambda _: True  # type: ignore[assignment,method-assign]
Lease.ends_at = lambda _: math.inf  # type: ignore[assignment,method-assign]
sys.exit(program.main())
