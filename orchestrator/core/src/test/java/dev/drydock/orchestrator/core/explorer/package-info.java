/**
 * Visits every state that a batch can come to when a few things go wrong, over the real decisions,
 * and holds each against rules.
 */
@NullMarked
package dev.drydock.orchestrator.core.explorer;

import org.jspecify.annotations.NullMarked;
