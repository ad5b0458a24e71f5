/**
 * Who may have which host next: tickets, their order, locks and verdicts. Pure: records in, records
 * out; no clock, no logger, no I/O.
 */
@NullMarked
package dev.drydock.lock.core;

import org.jspecify.annotations.NullMarked;
