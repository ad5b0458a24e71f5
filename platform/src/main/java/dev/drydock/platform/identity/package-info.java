/** Who calls, what they may do, and the record of what they changed. */
@NullMarked
package dev.drydock.platform.identity;

import org.jspecify.annotations.NullMarked;
