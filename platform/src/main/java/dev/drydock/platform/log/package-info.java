/** How log lines look: JSON for machines, text on a terminal. */
@NullMarked
package dev.drydock.platform.log;

import org.jspecify.annotations.NullMarked;
