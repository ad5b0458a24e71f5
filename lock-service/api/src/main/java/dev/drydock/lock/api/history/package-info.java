/** The history of tickets and locks, for people and for the auditor. */
@NullMarked
package dev.drydock.lock.api.history;

import org.jspecify.annotations.NullMarked;
