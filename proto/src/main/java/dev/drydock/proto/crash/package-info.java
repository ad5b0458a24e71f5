/** Named points at which a test may kill the process. */
@NullMarked
package dev.drydock.proto.crash;

import org.jspecify.annotations.NullMarked;
