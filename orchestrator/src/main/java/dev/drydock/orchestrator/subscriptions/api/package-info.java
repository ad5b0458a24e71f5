/** Subscriptions over HTTP. */
@NullMarked
package dev.drydock.orchestrator.subscriptions.api;

import org.jspecify.annotations.NullMarked;
