"""`python -m drydock_soak`: seeded runs one after the other, a line each, and one JSON object at the end."""

import sys

from drydock_soak.cli import main

sys.exit(main(sys.argv[1:]))
