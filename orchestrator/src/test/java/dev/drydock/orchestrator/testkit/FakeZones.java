package dev.drydock.orchestrator.testkit;

import dev.drydock.orchestrator.store.ZonePolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the policies of a test say of fault zones. Safe for use by many threads. */
public final class FakeZones implements ZonePolicy {
  private final Set<String> applications = new HashSet<>();
  private List<List<String>> batches = List.of();
  private int most = 200;

  /** From now on zones of these applications go together, and hosts in these batches. */
  public synchronized void together(Set<String> all, List<List<String>> hosts) {
    applications.clear();
    applications.addAll(all);
    batches = hosts;
  }

  /** From now on a grant takes at most so many hosts. */
  public synchronized void most(int hosts) {
    most = hosts;
  }

  @Override
  public synchronized int most() {
    return most;
  }

  @Override
  public synchronized Set<String> together() {
    return Set.copyOf(applications);
  }

  /** Hosts that no batch names are batches of their own. */
  @Override
  public synchronized List<List<String>> batches(Collection<String> hosts) {
    List<List<String>> found = new ArrayList<>();
    for (String host : hosts) {
      List<String> batch =
          batches.stream().filter(one -> one.contains(host)).findFirst().orElse(List.of(host));
      List<String> those = batch.stream().filter(hosts::contains).toList();
      if (!found.contains(those)) {
        found.add(those);
      }
    }
    return found;
  }
}
