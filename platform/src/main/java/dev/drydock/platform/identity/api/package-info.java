/** What a caller can ask about themselves. */
@NullMarked
package dev.drydock.platform.identity.api;

import org.jspecify.annotations.NullMarked;
