/** The inventory's resources: inventory, hosts and releases. */
@NullMarked
package dev.drydock.orchestrator.inventory.api;

import org.jspecify.annotations.NullMarked;
