/** What is tried on a host on which a step failed, and when. */
@NullMarked
package dev.drydock.orchestrator.core.remediation;

import org.jspecify.annotations.NullMarked;
