/** Reads the YAML of a policy, naming everything that is wrong with it by field and line. */
@NullMarked
package dev.drydock.impact.policy;

import org.jspecify.annotations.NullMarked;
