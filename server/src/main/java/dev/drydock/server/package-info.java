/** The composition root: one program that joins the rooms; the only place that knows them all. */
@NullMarked
package dev.drydock.server;

import org.jspecify.annotations.NullMarked;
