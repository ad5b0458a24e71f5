package dev.drydock.orchestrator.activity;

import dev.drydock.orchestrator.hooks.HookPolicies;
import dev.drydock.orchestrator.jobs.DrainTimeouts;

/** What batches ask of the policies in force. */
public record BatchPolicies(DrainTimeouts drains, HookPolicies hooks) {}
