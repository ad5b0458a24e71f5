package dev.drydock.lock.soak;

import dev.drydock.lock.core.LockRecord;
import java.util.List;

/**
 * Locks a client got.
 *
 * @param sent when the renewal that confirmed them was sent: their lease counts from there
 * @param end when they end by their maximum, at the earliest
 */
record Held(List<LockRecord> locks, long sent, long end) {}
