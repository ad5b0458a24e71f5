/**
 * What is up, and whether hosts may go down. Pure: records in, a verdict with its evidence out; no
 * clock, no logger, no I/O.
 */
@NullMarked
package dev.drydock.impact.core;

import org.jspecify.annotations.NullMarked;
