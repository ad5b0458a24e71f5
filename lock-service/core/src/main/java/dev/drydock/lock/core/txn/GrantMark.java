package dev.drydock.lock.core.txn;

import java.util.List;

/**
 * How a proposed grant was settled, under {@code grants/<id>}: committed together with its locks,
 * or void for good (protocol P5).
 */
public record GrantMark(
    boolean committed, List<String> hosts, long epoch, long beat, String reason) {
  public GrantMark {
    hosts = List.copyOf(hosts);
  }
}
