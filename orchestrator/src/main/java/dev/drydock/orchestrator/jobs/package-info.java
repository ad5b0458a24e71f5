/**
 * The job board (protocol P8): who works on what. The row of a job is the truth; its result, its
 * event and the wake-up of its batch are one transaction, all times are the database's, and only
 * the board ends a job.
 */
@NullMarked
package dev.drydock.orchestrator.jobs;

import org.jspecify.annotations.NullMarked;
