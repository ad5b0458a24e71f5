package dev.drydock.orchestrator.exits;

/**
 * One way out of one state.
 *
 * @param machine the enum the state is of
 * @param end what it leads to
 * @param test what shows it
 */
record Cell(String machine, String state, Exit exit, String end, String test) {}
