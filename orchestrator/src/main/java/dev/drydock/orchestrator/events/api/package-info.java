/** The feed over HTTP: long poll and stream. */
@NullMarked
package dev.drydock.orchestrator.events.api;

import org.jspecify.annotations.NullMarked;
