@NullMarked
package dev.drydock.platform.log;

import org.jspecify.annotations.NullMarked;
