/**
 * The auditor: recomputes the invariants from the logs, with nothing of the code that kept them.
 */
@NullMarked
package dev.drydock.auditor;

import org.jspecify.annotations.NullMarked;
