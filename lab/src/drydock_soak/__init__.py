"""The soak of the lock service: clients and grantors on a three-member etcd, faults from a seed, and a checker of its own."""
