/**
 * Questions to people about hosts that were not drained in time. Rows decide, under the lock of the
 * grant.
 */
@NullMarked
package dev.drydock.orchestrator.drain;

import org.jspecify.annotations.NullMarked;
