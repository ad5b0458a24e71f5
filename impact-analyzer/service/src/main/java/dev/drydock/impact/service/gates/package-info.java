/** Asks monitoring whether the gates of policies are open. */
@NullMarked
package dev.drydock.impact.service.gates;

import org.jspecify.annotations.NullMarked;
