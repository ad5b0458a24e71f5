@NullMarked
package dev.drydock.platform.crash;

import org.jspecify.annotations.NullMarked;
