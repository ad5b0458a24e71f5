/**
 * What a room's tests need to try its resources over real HTTP. Nothing of the running server uses
 * it.
 */
@NullMarked
package dev.drydock.platform.testkit;

import org.jspecify.annotations.NullMarked;
