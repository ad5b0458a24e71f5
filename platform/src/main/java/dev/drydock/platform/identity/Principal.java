package dev.drydock.platform.identity;

import java.util.Set;

/**
 * Who makes a call, known by their token.
 *
 * @param topics topics whose jobs a consumer may claim; empty for the other roles
 * @param advisory whether its tickets take hosts although a budget says Wait
 */
public record Principal(String name, String team, Role role, Set<String> topics, boolean advisory) {

  public Principal {
    topics = Set.copyOf(topics);
  }

  /** A principal whom budgets stop. */
  public Principal(String name, String team, Role role, Set<String> topics) {
    this(name, team, role, topics, false);
  }

  /** The server itself, for changes nobody asked for by a call. */
  public static Principal server() {
    return new Principal("drydock", "drydock", Role.ADMIN, Set.of());
  }

  /** Whether this principal may claim jobs of the topic. */
  public boolean consumes(String topic) {
    return role == Role.ADMIN || topics.contains(topic);
  }

  /** Whether this principal may act for the team. */
  public boolean actsFor(String someTeam) {
    return role == Role.ADMIN || team.equals(someTeam);
  }
}
