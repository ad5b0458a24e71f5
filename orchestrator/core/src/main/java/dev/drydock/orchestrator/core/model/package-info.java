/**
 * The records that decisions about a batch read, and the actions they answer with. Every state is
 * an enum here; rows spell it by its {@code word}.
 */
@NullMarked
package dev.drydock.orchestrator.core.model;

import org.jspecify.annotations.NullMarked;
