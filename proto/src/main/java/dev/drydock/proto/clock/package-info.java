/** The clock by which leases are counted. */
@NullMarked
package dev.drydock.proto.clock;

import org.jspecify.annotations.NullMarked;
