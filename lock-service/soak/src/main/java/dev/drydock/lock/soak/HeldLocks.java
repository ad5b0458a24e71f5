package dev.drydock.lock.soak;

import java.util.List;

/**
 * Hosts a client got.
 *
 * @param errand which asked for them
 * @param sent when the call that confirmed them was sent: their lease counts from there
 * @param end when they end by their maximum, at the earliest
 */
record HeldLocks(String errand, List<String> hosts, long token, long sent, long end) {}
