/**
 * The inventory: hosts and instances as their sources observe them, ordered by marks, and the
 * release catalogue.
 */
@NullMarked
package dev.drydock.orchestrator.inventory;

import org.jspecify.annotations.NullMarked;
