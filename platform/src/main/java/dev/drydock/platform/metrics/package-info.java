/** The catalogue of named metrics. */
@NullMarked
package dev.drydock.platform.metrics;

import org.jspecify.annotations.NullMarked;
