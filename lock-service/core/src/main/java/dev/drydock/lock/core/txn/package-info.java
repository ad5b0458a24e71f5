/**
 * What the lock service writes and compares in etcd, as data: keys, values and transactions with
 * their compares. Pure, so that a model of etcd can carry out the very transactions that are sent
 * to the real one.
 */
@NullMarked
package dev.drydock.lock.core.txn;

import org.jspecify.annotations.NullMarked;
