package dev.drydock.orchestrator.intake;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** Tells which hosts could never be granted, because an application on them has no rule (I1). */
@FunctionalInterface
public interface PolicyCoverage {

  /** By host, its applications without a policy; hosts without such applications are left out. */
  Map<String, ? extends Set<String>> applicationsWithoutPolicy(Collection<String> hosts);
}
