/** Reads fleets from files: the documented CSV, and the published ones of the ROADEF challenge. */
@NullMarked
package dev.drydock.impact.fleet;

import org.jspecify.annotations.NullMarked;
