/** Asks the teams' controllers what may go down, as jobs on the board, beside the grantor. */
@NullMarked
package dev.drydock.impact.service.controllers;

import org.jspecify.annotations.NullMarked;
