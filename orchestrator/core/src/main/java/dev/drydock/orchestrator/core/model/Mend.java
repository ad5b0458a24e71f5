package dev.drydock.orchestrator.core.model;

/** What can mend a job that did not end well. */
public enum Mend implements NamedConstant {
  /** Waiting can: what is missing comes back, or who is in the way goes away. */
  TIME,
  /** Only people can. */
  PEOPLE
}
