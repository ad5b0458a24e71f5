/**
 * Plans a rollout: which hosts begin when, under the rules of {@code impact.core} and as many as
 * they allow. Fleets are arrays of numbers here, because hundreds of thousands of hosts have to
 * fit. Pure: a fleet, policies and an order in, a schedule with its reasons out.
 */
@NullMarked
package dev.drydock.impact.plan;

import org.jspecify.annotations.NullMarked;
