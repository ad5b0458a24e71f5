/** The page of events, and that it is what the schemas say. */
@NullMarked
package dev.drydock.proto.reference;

import org.jspecify.annotations.NullMarked;
