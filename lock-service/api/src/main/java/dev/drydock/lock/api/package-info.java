/** The lock service as the rest of the server and its clients see it. */
@NullMarked
package dev.drydock.lock.api;

import org.jspecify.annotations.NullMarked;
