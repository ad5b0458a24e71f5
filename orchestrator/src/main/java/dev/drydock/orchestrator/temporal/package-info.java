/** The line to Temporal: connection, worker, start of workflows and delivery of wake-ups. */
@NullMarked
package dev.drydock.orchestrator.temporal;

import org.jspecify.annotations.NullMarked;
