package dev.drydock.lock.core;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** What the inventory knows about the names in a ticket. */
public interface HostDirectory {
  /** Those of {@code hosts} that exist. */
  Set<String> known(Collection<String> hosts);

  /** The host of each instance that exists. */
  Map<String, String> hostsOf(Collection<String> instances);
}
