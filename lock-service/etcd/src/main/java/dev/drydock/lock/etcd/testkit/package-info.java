/** A real etcd for the tests of this and other modules. */
@NullMarked
package dev.drydock.lock.etcd.testkit;

import org.jspecify.annotations.NullMarked;
