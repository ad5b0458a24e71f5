/** The door to PostgreSQL: connection pool, migrations, notifications. */
@NullMarked
package dev.drydock.platform.store;

import org.jspecify.annotations.NullMarked;
