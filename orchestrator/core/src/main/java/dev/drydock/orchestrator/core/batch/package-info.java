/** What becomes of a batch: {@link dev.drydock.orchestrator.core.batch.BatchPlanner} decides. */
@NullMarked
package dev.drydock.orchestrator.core.batch;

import org.jspecify.annotations.NullMarked;
