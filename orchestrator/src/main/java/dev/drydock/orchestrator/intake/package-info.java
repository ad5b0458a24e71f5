/** How a submission becomes rows: judged as a whole, then written as a whole. */
@NullMarked
package dev.drydock.orchestrator.intake;

import org.jspecify.annotations.NullMarked;
