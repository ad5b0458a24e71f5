/** The impact analyzer's resources. */
@NullMarked
package dev.drydock.impact.service.api;

import org.jspecify.annotations.NullMarked;
