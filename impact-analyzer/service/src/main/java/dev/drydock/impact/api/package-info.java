/** The impact analyzer's resources. */
@NullMarked
package dev.drydock.impact.api;

import org.jspecify.annotations.NullMarked;
