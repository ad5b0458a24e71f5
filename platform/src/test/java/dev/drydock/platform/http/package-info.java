/** The HTTP server tried over real connections. */
@NullMarked
package dev.drydock.platform.http;

import org.jspecify.annotations.NullMarked;
