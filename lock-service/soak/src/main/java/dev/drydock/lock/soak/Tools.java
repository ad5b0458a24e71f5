package dev.drydock.lock.soak;

import dev.drydock.lock.etcd.PolledDesk;
import dev.drydock.lock.etcd.TicketDesk;
import java.time.InstantSource;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** What a client works with for all its errands. */
record Tools(
    String name,
    Settings settings,
    TicketDesk desk,
    PolledDesk polled,
    InstantSource clock,
    History history,
    Register register,
    Random random,
    BooleanSupplier draining) {}
