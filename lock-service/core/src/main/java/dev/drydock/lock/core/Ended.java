package dev.drydock.lock.core;

/**
 * What the end of the last lock on a host left behind, stored under {@code ended/<host>} in the
 * same transaction.
 *
 * @param mark observations before this mark say nothing about the host after the lock (protocol P6)
 */
public record Ended(String host, String lockId, long mark, String by, String reason) {}
