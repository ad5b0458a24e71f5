/**
 * What a scheduler adapter is, and the loop that feeds it: claims the jobs of its scheduler from
 * the board over HTTP, keeps the claims alive, reports the results, and reports the inventory
 * beside that.
 */
@NullMarked
package dev.drydock.adapter.spi;

import org.jspecify.annotations.NullMarked;
