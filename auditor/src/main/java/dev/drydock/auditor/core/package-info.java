/**
 * Recomputes the invariants from what was logged: records in, findings out; no clock, no I/O, and
 * nothing of what it judges.
 */
@NullMarked
package dev.drydock.auditor.core;

import org.jspecify.annotations.NullMarked;
