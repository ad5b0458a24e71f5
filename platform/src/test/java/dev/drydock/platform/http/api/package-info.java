/** A resource with one method for each thing the bridge promises. */
@NullMarked
package dev.drydock.platform.http.api;

import org.jspecify.annotations.NullMarked;
