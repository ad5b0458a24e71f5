package dev.drydock.lock.etcd;

import dev.drydock.lock.core.MarkSequence;
import java.time.InstantSource;

/** What a program's clients work with. */
record ClientParts(
    EtcdConnection etcd,
    Mirror mirror,
    Doors doors,
    MarkSequence marks,
    InstantSource clock,
    Gathering.Timer timer) {}
