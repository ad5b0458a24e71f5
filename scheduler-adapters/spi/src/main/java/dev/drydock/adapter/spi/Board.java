package dev.drydock.adapter.spi;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.HostPhase;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.api.ReportReceipt;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The part of the server an adapter talks to. Every method may throw a {@link
 * dev.drydock.proto.client.CallException}.
 */
public interface Board {
  /** Jobs of the topic and of these steps that nobody works on, oldest first. */
  List<Job> claimable(String topic, List<JobStep> steps, int limit);

  /** How far the upgrade of each host is that is held for one. */
  Map<String, HostPhase> underWay();

  /** The same of one host; empty when none is under way there. */
  Optional<HostPhase> phase(String host);

  ClaimedJob claim(String job, String consumer);

  /**
   * The new length of the lease in seconds, counted from before this call.
   *
   * @param left what the host still has, of a drain that tells
   */
  int heartbeat(String job, String claim, Optional<DrainLeft> left);

  /** Repeats itself until it is answered or its budget is used. */
  void complete(String job, String claim, JobResult result);

  long mark(String source);

  ReportReceipt report(InventoryReport report);
}
