/** The codec of the wire records: the only way a record becomes JSON text or is read from it. */
@NullMarked
package dev.drydock.proto;

import org.jspecify.annotations.NullMarked;
