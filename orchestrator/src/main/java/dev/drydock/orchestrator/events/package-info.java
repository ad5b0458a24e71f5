/** The feed of what happened: every change and its event are one transaction. */
@NullMarked
package dev.drydock.orchestrator.events;

import org.jspecify.annotations.NullMarked;
