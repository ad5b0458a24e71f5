"""`python -m drydock_lab`."""

import sys

from drydock_lab.cli import main

sys.exit(main(sys.argv[1:]))
