@NullMarked
package dev.drydock.proto;

import org.jspecify.annotations.NullMarked;
