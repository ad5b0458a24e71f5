"""`python -m drydock_crashes`."""

import sys

from drydock_crashes.cli import main

sys.exit(main(sys.argv[1:]))
