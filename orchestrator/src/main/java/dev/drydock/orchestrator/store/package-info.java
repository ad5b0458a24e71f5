/**
 * What PostgreSQL remembers of rollouts: what was asked, what was granted and how far it came.
 * Nothing here believes Temporal. Every transaction locks a grant before its jobs and its host
 * upgrades, so that none waits in a circle.
 */
@NullMarked
package dev.drydock.orchestrator.store;

import org.jspecify.annotations.NullMarked;
