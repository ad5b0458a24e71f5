/** Repairs of hosts as people and the watchdog see them. Decisions about batches lead them. */
@NullMarked
package dev.drydock.orchestrator.remediation;

import org.jspecify.annotations.NullMarked;
