/**
 * Whether anybody but Drydock changed the packages of a host: host operators read them while the
 * host is in nobody's hands, and here it is judged what a reading says.
 */
@NullMarked
package dev.drydock.orchestrator.packages;

import org.jspecify.annotations.NullMarked;
