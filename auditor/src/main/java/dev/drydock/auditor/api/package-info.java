/** What was found, over the wire. */
@NullMarked
package dev.drydock.auditor.api;

import org.jspecify.annotations.NullMarked;
