/** What {@code make bench-locks} measures; through public surfaces only. */
@NullMarked
package dev.drydock.lock.etcd.bench;

import org.jspecify.annotations.NullMarked;
