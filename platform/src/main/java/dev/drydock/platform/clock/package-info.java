/** The clock by which leases are counted. */
@NullMarked
package dev.drydock.platform.clock;

import org.jspecify.annotations.NullMarked;
