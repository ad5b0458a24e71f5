package dev.drydock.orchestrator.intake;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** Tells which hosts policies do not let go at all, whatever is up. */
public interface PolicyCoverage {

  /** Of a fleet where everything has a policy, and every mode is allowed. */
  PolicyCoverage WHOLE =
      new PolicyCoverage() {
        @Override
        public Map<String, Set<String>> applicationsWithoutPolicy(Collection<String> hosts) {
          return Map.of();
        }

        @Override
        public Map<String, Set<String>> forbidding(Collection<String> hosts, String mode) {
          return Map.of();
        }
      };

  /**
   * By host, its applications without a policy, so that it could never be granted (I1); hosts
   * without such applications are left out.
   */
  Map<String, ? extends Set<String>> applicationsWithoutPolicy(Collection<String> hosts);

  /** By host, the policies that do not let it be upgraded by a mode; hosts without are left out. */
  Map<String, ? extends Set<String>> forbidding(Collection<String> hosts, String mode);
}
