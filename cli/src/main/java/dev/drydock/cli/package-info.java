/**
 * The command line: {@code drydock NOUN VERB}. Talks to the server through the client of proto,
 * nothing else; what plans without a server calls the pure core.
 */
@NullMarked
package dev.drydock.cli;

import org.jspecify.annotations.NullMarked;
