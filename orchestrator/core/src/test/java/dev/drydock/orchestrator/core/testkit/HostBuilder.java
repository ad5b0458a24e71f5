package dev.drydock.orchestrator.core.testkit;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.BatchHost;
import java.util.List;
import java.util.Optional;

/** Changes what is known of a host. */
public final class HostBuilder {
  private final BatchHost host;
  private String scheduler;
  private boolean seemsDone;
  private Optional<String> condemned;
  private Optional<String> backTo;
  private Optional<String> returnsTo;
  private DrainTerms drain;
  private Ladder ladder;
  private BatchHost.Known known;

  HostBuilder(BatchHost host) {
    this.host = host;
    scheduler = host.scheduler();
    seemsDone = host.seemsDone();
    condemned = host.condemned();
    backTo = host.backTo();
    returnsTo = host.returnsTo();
    drain = host.drain();
    ladder = host.ladder();
    known = host.known();
  }

  BatchHost build() {
    return new BatchHost(
        host.name(),
        scheduler,
        seemsDone,
        host.step(),
        host.says(),
        backTo,
        returnsTo,
        drain,
        ladder,
        known,
        condemned);
  }

  public HostBuilder scheduler(String name) {
    scheduler = name;
    return this;
  }

  /** The inventory says that it is on the release. */
  public HostBuilder seemsDone() {
    seemsDone = true;
    return this;
  }

  /** Its packages can go back to this release. */
  public HostBuilder returnsTo(String release) {
    returnsTo = Optional.of(release);
    return this;
  }

  /** It was taken back to this release. */
  public HostBuilder backTo(String release) {
    backTo = Optional.of(release);
    return this;
  }

  /** It is to be quarantined. */
  public HostBuilder condemned(String why) {
    condemned = Optional.of(why);
    return this;
  }

  /** Another rollout brought it further, in these words. */
  public HostBuilder supersededBy(String words) {
    known = new BatchHost.Known(words, known.down());
    return this;
  }

  /** What belongs in service there is down, in these words. */
  public HostBuilder down(String words) {
    known = new BatchHost.Known(known.supersededBy(), words);
    return this;
  }

  /** What policies say of draining it. */
  public HostBuilder drain(DrainTerms terms) {
    drain = terms;
    return this;
  }

  /** What policies let be tried on it. */
  public HostBuilder ladder(Ladder allowed) {
    ladder = allowed;
    return this;
  }

  /** The same, as rungs that need no approval. */
  public HostBuilder ladder(Rung... rungs) {
    return ladder(new Ladder(List.of(rungs)));
  }
}
