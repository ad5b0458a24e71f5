/**
 * What is tried on a host on which a step failed after its update began: diagnose it, climb the
 * ladder of its policies, verify, and either resume the phase or leave the host to be quarantined
 * with what was found. Rows are the truth; {@link dev.drydock.orchestrator.remediation.Course}
 * decides, jobs act.
 */
@NullMarked
package dev.drydock.orchestrator.remediation;

import org.jspecify.annotations.NullMarked;
