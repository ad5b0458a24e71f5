package dev.drydock.orchestrator.intake;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The facts a plan was made by, so that somebody who starts it can be told what changed since.
 *
 * <p>What is up, locked or going on is no part of it: that changes all the time, and every grant
 * judges it anew. Nor is the generation, which any policy and the fleet brake bump: the versions of
 * the policies on these hosts say more.
 *
 * @param policies versions of those that apply on the hosts, by name
 * @param placement by host, what is allocated there, in order
 */
public record PlanFacts(
    SortedMap<String, Integer> policies, SortedMap<String, List<String>> placement) {
  static final PlanFacts NONE = new PlanFacts(Map.of(), Map.of());

  private static final int DIGEST_BYTES = 16;

  public PlanFacts {
    policies = new TreeMap<>(policies);
    placement = new TreeMap<>(placement);
  }

  /** In any order. */
  public PlanFacts(Map<String, Integer> policies, Map<String, List<String>> placement) {
    this(new TreeMap<>(policies), new TreeMap<>(placement));
  }

  /** A revision as somebody names it: the parts may be missing. */
  public record Named(String digest, Optional<PlanFacts> parts) {}

  /** Equal for equal facts. */
  public String digest() {
    StringBuilder text = new StringBuilder();
    policies.forEach((name, version) -> line(text, "policy", name, version.toString()));
    placement.forEach(
        (host, instances) -> {
          line(text, "host", host);
          instances.stream().sorted().forEach(instance -> line(text, "instance", instance));
        });
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every Java has SHA-256", missing);
    }
  }

  private static void line(StringBuilder text, String... words) {
    text.append(String.join("\t", words)).append('\n');
  }

  /** What is different now, a sentence each; empty when it is the same. */
  List<String> differences(PlanFacts now) {
    List<String> differences = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>(policies.keySet());
    names.addAll(now.policies.keySet());
    for (String name : names) {
      Integer before = policies.get(name);
      Integer after = now.policies.get(name);
      if (before == null) {
        differences.add("policy %s version %d applies now".formatted(name, after));
      } else if (after == null) {
        differences.add("policy %s version %d applies no more".formatted(name, before));
      } else if (!before.equals(after)) {
        differences.add("policy %s version %d → %d".formatted(name, before, after));
      }
    }
    TreeSet<String> hosts = new TreeSet<>(placement.keySet());
    hosts.addAll(now.placement.keySet());
    for (String host : hosts) {
      List<String> before = placement.get(host);
      List<String> after = now.placement.get(host);
      if (before == null) {
        differences.add("host %s is not in the plan".formatted(host));
      } else if (after == null) {
        differences.add("host %s of the plan is not submitted".formatted(host));
      } else {
        after.stream()
            .filter(instance -> !before.contains(instance))
            .forEach(it -> differences.add("%s gained instance %s".formatted(host, it)));
        before.stream()
            .filter(instance -> !after.contains(instance))
            .forEach(it -> differences.add("%s lost instance %s".formatted(host, it)));
      }
    }
    return differences;
  }
}
