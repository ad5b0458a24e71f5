/** What the changes of keys mean for people: a pure reading of the store's log. */
@NullMarked
package dev.drydock.lock.core.history;

import org.jspecify.annotations.NullMarked;
