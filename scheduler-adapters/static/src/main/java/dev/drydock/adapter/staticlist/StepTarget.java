package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import java.util.List;

/** What one step is about: a claimed job, its host and the instances listed for it. */
record StepTarget(ClaimedStep work, FixedHost host, List<FixedInstance> instances) {
  List<String> services() {
    return instances.stream().map(FixedInstance::service).distinct().toList();
  }

  /** Those that were not healthy already when this grant cordoned the host. */
  List<FixedInstance> sickBefore(HostState now) {
    return now.sickBefore(work.job().getGrant(), instances);
  }

  StepTarget with(List<FixedInstance> some) {
    return new StepTarget(work, host, some);
  }

  String names() {
    return String.join(", ", instances.stream().map(FixedInstance::id).toList());
  }
}
