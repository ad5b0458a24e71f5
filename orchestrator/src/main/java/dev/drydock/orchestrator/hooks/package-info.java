/**
 * What teams run around the work on the hosts of a batch: frozen into rows, published stage by
 * stage and order by order, and taken back in the mirrored order when the batch goes back.
 */
@NullMarked
package dev.drydock.orchestrator.hooks;

import org.jspecify.annotations.NullMarked;
