/** The server's configuration, read from YAML with all its errors at once. */
@NullMarked
package dev.drydock.platform.config;

import org.jspecify.annotations.NullMarked;
