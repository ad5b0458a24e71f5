/** The program as it is started. */
@NullMarked
package dev.drydock.server;

import org.jspecify.annotations.NullMarked;
