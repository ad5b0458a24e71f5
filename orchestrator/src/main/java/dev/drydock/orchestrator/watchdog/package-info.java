/**
 * Finds phases that take too long, by what policies allow and by what others of their kind took,
 * and says who is waited for and what that costs. It reads rows and tells; it ends nothing.
 */
@NullMarked
package dev.drydock.orchestrator.watchdog;

import org.jspecify.annotations.NullMarked;
