/** The wire records in the words of TypeScript, for the console. */
@NullMarked
package dev.drydock.proto.typescript;

import org.jspecify.annotations.NullMarked;
