/** The rules of the house: what may know what. */
@NullMarked
package dev.drydock.server.house;

import org.jspecify.annotations.NullMarked;
