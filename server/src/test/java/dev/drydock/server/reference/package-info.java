/** The generated pages of {@code docs/reference}, and that they are what the code says. */
@NullMarked
package dev.drydock.server.reference;

import org.jspecify.annotations.NullMarked;
