"""Checks any controller against the contract, over the public API alone: `python -m drydock_controller.conformance --help`."""
