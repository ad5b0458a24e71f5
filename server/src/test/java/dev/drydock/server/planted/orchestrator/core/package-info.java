/** Planted: breaks a rule of the house so that the rule can be seen to fail. */
@NullMarked
package dev.drydock.server.planted.orchestrator.core;

import org.jspecify.annotations.NullMarked;
