package dev.drydock.impact.service;

import dev.drydock.impact.service.api.PoliciesResource;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Generation;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.store.Database;
import java.time.Duration;

/**
 * The impact analyzer room: policies of teams, and whether hosts may go down by them. Safe for use
 * by many threads.
 */
public final class ImpactAnalyzer implements AutoCloseable {
  private final PolicyStore store;
  private final PolicyReader policies;
  private final Admission admission;

  /**
   * The room over one database.
   *
   * @param generation bumped by every change of a policy before it is answered
   * @param staleness a source whose newest report is older is not believed
   */
  public ImpactAnalyzer(Database database, Generation generation, Duration staleness) {
    this.store = new PolicyStore(database.jdbi(), generation);
    this.policies = new PolicyReader(database.jdbi());
    this.admission = new FleetAdmission(database.jdbi(), new FleetReader(staleness), policies);
  }

  /** Does nothing: the room works only when it is asked. */
  public void start() {}

  /** What the grantor asks. */
  public Admission admission() {
    return admission;
  }

  /** What rollouts ask about policies. */
  public PolicyReader policies() {
    return policies;
  }

  /** The resource policies. */
  public Resources resources() {
    return Resources.of(PoliciesResource.class, () -> new PoliciesResource(store));
  }

  @Override
  public void close() {}
}
