package dev.drydock.orchestrator.activity;

/**
 * What a workflow run knows of its batch: all else is read from rows, by id.
 *
 * @param run number that publishing, claiming and ending compare
 * @param ended whether the grant has an end state: nothing may start any more
 * @param undoing whether an earlier run turned back: there is no way forward any more
 */
public record BatchRun(String grant, int run, boolean ended, boolean undoing) {}
