/**
 * An exhaustive search of what clients, grantors, sweeper and etcd can do to each other, over the
 * real decisions and the real transactions.
 */
@NullMarked
package dev.drydock.lock.explorer;

import org.jspecify.annotations.NullMarked;
