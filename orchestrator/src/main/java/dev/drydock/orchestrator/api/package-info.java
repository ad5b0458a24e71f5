/** The orchestrator's resources; the only place in this room that knows Rest.li. */
@NullMarked
package dev.drydock.orchestrator.api;

import org.jspecify.annotations.NullMarked;
