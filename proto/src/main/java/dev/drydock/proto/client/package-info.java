/**
 * The HTTP client of Drydock: typed calls over the wire contracts. Everything outside the server
 * (adapters, the command line) talks to Drydock through this package and nothing else.
 */
@NullMarked
package dev.drydock.proto.client;

import org.jspecify.annotations.NullMarked;
