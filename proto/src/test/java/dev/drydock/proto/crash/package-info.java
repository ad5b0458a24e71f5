@NullMarked
package dev.drydock.proto.crash;

import org.jspecify.annotations.NullMarked;
