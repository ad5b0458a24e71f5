/**
 * What teams are told of the event feed: who gets which event, and how far each reader has come.
 */
@NullMarked
package dev.drydock.orchestrator.subscriptions;

import org.jspecify.annotations.NullMarked;
