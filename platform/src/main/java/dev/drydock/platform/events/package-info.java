/** What every room writes into the one feed of events; reading it is the orchestrator's. */
@NullMarked
package dev.drydock.platform.events;

import org.jspecify.annotations.NullMarked;
