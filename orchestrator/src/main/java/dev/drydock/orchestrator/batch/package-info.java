/** Reads what is known of a batch, for the decision about what is done next. */
@NullMarked
package dev.drydock.orchestrator.batch;

import org.jspecify.annotations.NullMarked;
