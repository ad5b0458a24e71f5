"""Where runs happen: namespaces and a cluster, for one soak of a checkout at a time, gone afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

from drydock_soak.cluster import Cluster
from drydock_soak.topology import Topology


@contextlib.contextmanager
def stage(topology: Topology, etcd: Path, folder: Path) -> Iterator[Cluster]:
    """A new cluster whose members all answer; its logs stay in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        topology.create()
        shutil.rmtree(folder / "etcd", ignore_errors=True)
        cluster = Cluster(topology, etcd, folder / "etcd")
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()
            topology.remove()
