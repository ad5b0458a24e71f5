package dev.drydock.adapter.fixed;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.spi.Work;
import java.util.List;

/** What one step is about: a claimed job, its host and the instances listed for it. */
record Target(Work work, FixedHost host, List<FixedInstance> instances) {
  List<String> services() {
    return instances.stream().map(FixedInstance::service).distinct().toList();
  }

  /** Those that were not healthy already when this grant froze the host. */
  List<FixedInstance> sickBefore(HostState now) {
    return now.sickBefore(work.job().getGrant(), instances);
  }

  Target with(List<FixedInstance> some) {
    return new Target(work, host, some);
  }

  String names() {
    return String.join(", ", instances.stream().map(FixedInstance::id).toList());
  }
}
