/** What people are asked to decide, and what they answer. */
@NullMarked
package dev.drydock.orchestrator.decision;

import org.jspecify.annotations.NullMarked;
