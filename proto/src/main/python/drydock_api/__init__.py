"""Drydock's public API over HTTP, for programs in Python that consume jobs. The standard library is all it needs."""
