/**
 * What workflows may ask for: every activity is one step over the rows of PostgreSQL (and the holds
 * of etcd) that may be repeated after any crash. Workflows decide the order, activities do the
 * work, rows remember it.
 */
@NullMarked
package dev.drydock.orchestrator.activity;

import org.jspecify.annotations.NullMarked;
