package dev.drydock.impact.plan;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which hosts of a rollout go together: those joined by fault zones that are all or none, and by
 * what these join in turn (the closure over the zones touched). Hosts that are not in the rollout
 * are not taken, so they join nothing.
 */
public final class Batches {
  private static final int ZONES_NAMED = 5;

  private Batches() {}

  /** The hosts of each batch, in the order of their first host; one each where nothing joins. */
  public static int[][] of(CompactFleet fleet, int[] hosts, Set<String> allOrNone) {
    int[] parent = new int[hosts.length];
    Arrays.setAll(parent, at -> at);
    boolean[] joins = new boolean[fleet.applicationCount()];
    for (int application = 0; application < joins.length; application++) {
      joins[application] = allOrNone.contains(fleet.application(application));
    }
    Map<Long, Integer> firstOf = new HashMap<>();
    for (int at = 0; at < hosts.length && !allOrNone.isEmpty(); at++) {
      int end = fleet.firstInstance(hosts[at] + 1);
      for (int i = fleet.firstInstance(hosts[at]); i < end; i++) {
        int application = fleet.applicationOf(i);
        if (joins[application] && fleet.zoneOf(i) >= 0) {
          long zone = (long) application << 32 | fleet.zoneOf(i);
          Integer first = firstOf.putIfAbsent(zone, at);
          if (first != null) {
            join(parent, first, at);
          }
        }
      }
    }
    return grouped(hosts, parent);
  }

  /** The fault zones that join a batch, by application; some of them if they are many. */
  static String zones(CompactFleet fleet, int[] batch, Set<String> allOrNone) {
    Set<String> zones = new TreeSet<>();
    for (int host : batch) {
      for (int i = fleet.firstInstance(host); i < fleet.firstInstance(host + 1); i++) {
        String application = fleet.application(fleet.applicationOf(i));
        if (allOrNone.contains(application) && fleet.zoneOf(i) >= 0) {
          zones.add(
              "fault zone %s of application %s"
                  .formatted(fleet.zone(fleet.zoneOf(i)), application));
        }
      }
    }
    int more = zones.size() - ZONES_NAMED;
    return zones.stream().limit(ZONES_NAMED).collect(Collectors.joining(", "))
        + (more > 0 ? " and %d more".formatted(more) : "");
  }

  private static int[][] grouped(int[] hosts, int[] parent) {
    int[] size = new int[hosts.length];
    for (int at = 0; at < hosts.length; at++) {
      size[root(parent, at)]++;
    }
    int[][] byRoot = new int[hosts.length][];
    int batches = 0;
    for (int at = 0; at < hosts.length; at++) {
      int root = root(parent, at);
      if (size[root] > 0) {
        byRoot[root] = new int[size[root]];
        size[root] = 0; // From here on: minus how many of it are placed.
        batches++;
      }
      byRoot[root][-size[root]--] = hosts[at];
    }
    int[][] grouped = new int[batches][];
    int next = 0;
    for (int root = 0; root < hosts.length; root++) {
      if (root == root(parent, root)) {
        grouped[next++] = byRoot[root];
      }
    }
    return grouped;
  }

  private static void join(int[] parent, int one, int other) {
    int a = root(parent, one);
    int b = root(parent, other);
    parent[Math.max(a, b)] = Math.min(a, b);
  }

  private static int root(int[] parent, int of) {
    int at = of;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }
}
