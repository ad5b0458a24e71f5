@NullMarked
package dev.drydock.lock.soak;

import org.jspecify.annotations.NullMarked;
