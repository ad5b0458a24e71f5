/** Named points at which a test may kill the process. */
@NullMarked
package dev.drydock.platform.crash;

import org.jspecify.annotations.NullMarked;
