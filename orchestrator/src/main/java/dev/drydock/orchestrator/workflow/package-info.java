/**
 * What happens next: await, decide, call. Workflows hold no truth; a lost one is started again and
 * finds its place in PostgreSQL. Signals only wake; a time-out only makes them look.
 */
@NullMarked
package dev.drydock.orchestrator.workflow;

import org.jspecify.annotations.NullMarked;
