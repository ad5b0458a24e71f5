/**
 * What is asked of a host before it is granted, while it still serves: could it be updated now? A
 * host that does not pass is not touched (ADR 44).
 */
@NullMarked
package dev.drydock.orchestrator.preflight;

import org.jspecify.annotations.NullMarked;
