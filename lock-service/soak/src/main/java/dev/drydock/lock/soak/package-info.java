/**
 * Processes of a soak: servers with the lock service and its API, and clients that take, use and
 * release hosts by that API while faults happen around them, and write down what they did and saw.
 * They judge nothing; the harness in {@code lab/src/drydock_soak} starts them, does the faults and
 * checks the histories.
 */
@NullMarked
package dev.drydock.lock.soak;

import org.jspecify.annotations.NullMarked;
