/**
 * Batches that stand still because hosts of them failed: what failed, and what policies or people
 * say becomes of it. Rows decide, under the lock of the grant.
 */
@NullMarked
package dev.drydock.orchestrator.blocked;

import org.jspecify.annotations.NullMarked;
