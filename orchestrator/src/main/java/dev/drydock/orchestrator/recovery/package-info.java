/**
 * What happens when a store was restored (protocol P10): it is noticed by the beats, everything is
 * closed, what both stores know of is joined, each host is read back, and another epoch begins.
 */
@NullMarked
package dev.drydock.orchestrator.recovery;

import org.jspecify.annotations.NullMarked;
