package dev.drydock.auditor.core;

import java.util.Optional;

/** The row of one host of the rollout in {@code host_upgrades}, as it is when it is audited. */
public record LoggedHostUpgrade(String host, String state, String reason, Optional<String> grant) {}
