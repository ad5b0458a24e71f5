"""The embedded stack: PostgreSQL, etcd, Temporal and one Drydock process on one machine, without a container engine."""
