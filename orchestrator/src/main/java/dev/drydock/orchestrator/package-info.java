/** The orchestrator room: from a submission to upgraded hosts. */
@NullMarked
package dev.drydock.orchestrator;

import org.jspecify.annotations.NullMarked;
