/**
 * What people ask of a rollout that was submitted: pause, resume, abort, other hosts, and another
 * rollout that takes up again what this one left. A command writes rows; workflows are only woken.
 */
@NullMarked
package dev.drydock.orchestrator.control;

import org.jspecify.annotations.NullMarked;
