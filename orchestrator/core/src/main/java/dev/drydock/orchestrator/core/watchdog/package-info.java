/** Whether a phase takes too long, and who is waited for. */
@NullMarked
package dev.drydock.orchestrator.core.watchdog;

import org.jspecify.annotations.NullMarked;
