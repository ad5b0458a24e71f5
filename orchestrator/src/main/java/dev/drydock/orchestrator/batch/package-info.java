/**
 * The batches: read, decided, applied. {@link dev.drydock.orchestrator.batch.SnapshotReader} reads
 * what is known of a batch, the core decides, and {@link
 * dev.drydock.orchestrator.batch.BatchInterpreter} writes what was decided. {@link
 * dev.drydock.orchestrator.batch.BatchDriver} does these three in one transaction under the lock of
 * the grant. Nothing else moves a batch.
 */
@NullMarked
package dev.drydock.orchestrator.batch;

import org.jspecify.annotations.NullMarked;
