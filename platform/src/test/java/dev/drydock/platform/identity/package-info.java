@NullMarked
package dev.drydock.platform.identity;

import org.jspecify.annotations.NullMarked;
