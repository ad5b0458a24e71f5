"""Where runs happen: namespaces and a cluster, for one soak of a checkout at a time, gone afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

from drydock_soak.cluster import Cluster
from drydock_soak.ending import Ending
from drydock_soak.topology import Topology


@contextlib.contextmanager
def stage(topology: Topology, etcd: Path, folder: Path, ending: Ending) -> Iterator[Cluster]:
    """A new cluster whose members all answer; its logs stay in the folder.

    However it is left, nothing of it goes on. What a killed one left goes before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        topology.remove(folder)
        shutil.rmtree(folder / "etcd", ignore_errors=True)
        cluster = Cluster(topology, etcd, folder / "etcd")
        try:
            try:
                topology.create()
                cluster.start()
                yield cluster
            finally:
                ending.hold()  # A signal before this is done still leads to what follows.
        finally:
            cluster.stop()
            topology.remove(folder)
        ending.release()
