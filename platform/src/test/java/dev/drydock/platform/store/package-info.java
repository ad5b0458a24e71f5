@NullMarked
package dev.drydock.platform.store;

import org.jspecify.annotations.NullMarked;
