package dev.drydock.orchestrator.batch;

/**
 * A workflow run of a batch.
 *
 * @param run number that publishing, claiming and ending compare
 * @param ended whether the grant has an end state: nothing may start any more
 */
public record BatchRun(String grant, int run, boolean ended) {}
