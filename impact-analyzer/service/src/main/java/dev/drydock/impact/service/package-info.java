/**
 * The impact analyzer as a service: policies of teams, the fleet as of now, and the admission the
 * grantor asks.
 */
@NullMarked
package dev.drydock.impact.service;

import org.jspecify.annotations.NullMarked;
