package dev.drydock.auditor.core;

/**
 * What a rule says against an admission.
 *
 * @param sure whether it is so however imprecise the log is
 */
record RuleViolation(String says, boolean sure) {}
