/**
 * Whole rollouts in virtual time over the real decisions, with everything that goes wrong, and a
 * verifier that knows the rules by itself.
 */
@org.jspecify.annotations.NullMarked
package dev.drydock.impact.simulation;
