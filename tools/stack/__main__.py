"""Entry point: ``python3 tools/stack COMMAND`` (standard library only, nothing needs installing first)."""

import sys

if sys.version_info < (3, 11):
    sys.exit(f"drydock needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).")

from drydock_stack.main import main

sys.exit(main(sys.argv[1:]))
