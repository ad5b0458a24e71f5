package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Candidates;
import dev.drydock.lock.core.MarkSequence;
import dev.drydock.platform.metrics.Metrics;
import java.time.InstantSource;

/** What the grantor works with. */
record GrantorDependencies(
    EtcdConnection etcd,
    EtcdMirror mirror,
    LockDelays delays,
    Admission admission,
    Candidates candidates,
    MarkSequence marks,
    InstantSource clock,
    Metrics metrics,
    boolean fenced) {}
