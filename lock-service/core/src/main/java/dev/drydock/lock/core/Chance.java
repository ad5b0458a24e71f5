package dev.drydock.lock.core;

import java.util.List;

/** What the turn of a request comes to. */
sealed interface Chance {

  /**
   * It can have its hosts.
   *
   * @param passed who came first and waits on
   */
  record Now(Verdict verdict, List<Ticket> passed) implements Chance {}

  /**
   * It waits for others to end, and keeps its hosts from those after it.
   *
   * @param behind whether somebody has or came first for a host; else it waits for a budget or its
   *     client
   */
  record Later(String reason, Reservation reservation, boolean behind) implements Chance {}

  /** It waits for what no holder ends: it keeps its place, and nothing else. */
  record Blocked(String reason, boolean behind) implements Chance {}

  /** Waiting could never help. */
  record Never(String reason) implements Chance {}
}
