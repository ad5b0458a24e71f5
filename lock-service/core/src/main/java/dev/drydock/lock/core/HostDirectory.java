package dev.drydock.lock.core;

import java.util.Collection;
import java.util.Set;

/** Which hosts exist: tickets for others are turned down before they enter the queue. */
@FunctionalInterface
public interface HostDirectory {

  /** Those of {@code hosts} nobody ever reported. */
  Set<String> unknown(Collection<String> hosts);
}
