/**
 * Tickets, locks and holds in etcd, and the elected grantor. The only place that knows etcd's
 * client. Every transaction of the grantor compares its leadership and the generation; every write
 * of others is idempotent and repeated until its outcome is known.
 */
@NullMarked
package dev.drydock.lock.etcd;

import org.jspecify.annotations.NullMarked;
