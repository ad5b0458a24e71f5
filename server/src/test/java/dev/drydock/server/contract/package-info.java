/** The wire contract as committed files, and the check that it is kept. */
@NullMarked
package dev.drydock.server.contract;

import org.jspecify.annotations.NullMarked;
