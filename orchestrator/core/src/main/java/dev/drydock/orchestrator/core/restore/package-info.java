/** What becomes of hosts whose batch lost its run, or whose store was restored. */
@NullMarked
package dev.drydock.orchestrator.core.restore;

import org.jspecify.annotations.NullMarked;
