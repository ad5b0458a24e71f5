/**
 * Hosts that are not drained in time: how their drains were going, what the policies say becomes of
 * them, and what people answer where they are asked. Rows decide, under the lock of the grant.
 */
@NullMarked
package dev.drydock.orchestrator.drain;

import org.jspecify.annotations.NullMarked;
