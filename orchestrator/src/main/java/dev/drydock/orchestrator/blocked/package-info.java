/**
 * Questions to people about batches that stand still because hosts of them failed. Rows decide,
 * under the lock of the grant.
 */
@NullMarked
package dev.drydock.orchestrator.blocked;

import org.jspecify.annotations.NullMarked;
