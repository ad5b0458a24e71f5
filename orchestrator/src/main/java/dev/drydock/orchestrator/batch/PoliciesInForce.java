package dev.drydock.orchestrator.batch;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.model.HookPolicy;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the policies in force say of batches, as they were read once. */
public interface PoliciesInForce {

  /** The hooks of all policies that have any, by name. */
  List<HookPolicy> hooks();

  /**
   * What a batch does when one of its hosts fails, by application. An application that is not named
   * aborts it.
   */
  Map<String, OnHostFailure> onHostFailure();

  /** What policies of these applications, which run on one host, say of draining it. */
  DrainTerms drain(Set<String> applications);

  /** What policies of these applications, which run on one host, let be tried on it. */
  Ladder ladder(Set<String> applications);
}
