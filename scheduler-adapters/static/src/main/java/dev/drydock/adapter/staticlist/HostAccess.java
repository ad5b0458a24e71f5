package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import java.util.List;
import java.util.Map;

/**
 * What can be read and done on a host. Effects carry the token of the work, happen at most once per
 * attempt and name, need a live lease, and are not believed before {@link #read} shows them.
 * Thread-safe.
 */
interface HostAccess {
  HostState read(FixedHost host) throws HostException, InterruptedException;

  /**
   * Shows the token to the host: from then on no earlier attempt can start anything there. Then
   * reads it.
   */
  HostState claim(FixedHost host, ClaimedStep claimedStep)
      throws HostException, InterruptedException;

  void cordon(FixedHost host, ClaimedStep claimedStep, CordonMark cordonMark)
      throws HostException, InterruptedException;

  void liftCordon(FixedHost host, ClaimedStep claimedStep)
      throws HostException, InterruptedException;

  /** Returns the host as it was read afterwards. */
  HostState stop(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException, InterruptedException;

  /**
   * Gives the host services it has not.
   *
   * @param programs what runs each, by its name
   */
  void deploy(FixedHost host, ClaimedStep claimedStep, Map<String, String> programs)
      throws HostException, InterruptedException;

  void start(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException, InterruptedException;

  /** Starts them without waiting whether they come up: one that does not is no failure. */
  void tryStart(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException, InterruptedException;
}
