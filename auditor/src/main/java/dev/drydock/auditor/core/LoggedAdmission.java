package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * A decision that hosts may go down: a grant, or a check of one that was passed.
 *
 * @param what grant, confirm or open, with its round
 * @param at when it was written down
 * @param revision of etcd at which its hosts were locked; empty for a check
 */
public record LoggedAdmission(
    String grant, String what, Instant at, OptionalLong revision, List<String> hosts) {
  public LoggedAdmission {
    hosts = List.copyOf(hosts);
  }

  /** Whether it is the grant, from which on the work is planned; checks come while it goes on. */
  boolean begins() {
    return what.equals("grant");
  }
}
