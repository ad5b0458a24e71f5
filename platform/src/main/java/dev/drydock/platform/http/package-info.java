/** The HTTP server: Jetty handlers, the bridge to Rest.li, and the one shape of errors. */
@NullMarked
package dev.drydock.platform.http;

import org.jspecify.annotations.NullMarked;
