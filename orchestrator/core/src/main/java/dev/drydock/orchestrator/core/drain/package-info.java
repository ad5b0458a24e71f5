/** What becomes of hosts that are not drained in time. */
@NullMarked
package dev.drydock.orchestrator.core.drain;

import org.jspecify.annotations.NullMarked;
