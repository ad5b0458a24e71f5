"""Judges a run by what etcd, the clients and the register remember. Shares no code with what it judges."""
