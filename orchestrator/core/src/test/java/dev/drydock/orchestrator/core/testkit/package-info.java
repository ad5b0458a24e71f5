/** Builds batches for tests of decisions, and plays them. */
@NullMarked
package dev.drydock.orchestrator.core.testkit;

import org.jspecify.annotations.NullMarked;
