/** What a process does again and again as long as it lives. */
@NullMarked
package dev.drydock.platform.rounds;

import org.jspecify.annotations.NullMarked;
