package dev.drydock.orchestrator.activity;

/**
 * What a workflow run knows of its batch: all else is read from rows, by id.
 *
 * @param run number that publishing, claiming and ending compare
 * @param ended whether the grant has an end state: nothing may start any more
 * @param undoing whether an earlier run turned back: there is no way forward any more
 * @param reclaim whether an earlier run was lost: hosts are read and brought back, none is updated
 */
public record BatchRun(String grant, int run, boolean ended, boolean undoing, boolean reclaim) {}
