package dev.drydock.lock.core;

import java.util.List;

/** What the turn of a request comes to. */
sealed interface Eligibility {

  /**
   * It can have its hosts.
   *
   * @param passed who came first and waits on
   */
  record Now(Verdict verdict, List<Ticket> passed) implements Eligibility {}

  /**
   * It waits for others to end, and keeps its hosts from those after it.
   *
   * @param behind whether somebody has or came first for a host; else it waits for a budget or its
   *     client
   */
  record Later(String reason, Reservation reservation, boolean behind) implements Eligibility {}

  /** It waits for what no holder ends: it keeps its place, and nothing else. */
  record Blocked(String reason, boolean behind) implements Eligibility {}

  /** Waiting could never help. */
  record Never(String reason) implements Eligibility {}
}
