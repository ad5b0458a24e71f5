package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One thing that was found.
 *
 * @param object what it is about, by kind and name: {@code host/h01}, {@code grant/g7}
 * @param at when it happened, by the clock of the database
 * @param says what is wrong, in one sentence with the numbers
 * @param evidence the rows it rests on, each as {@code TABLE KEY: what it says}
 */
public record FindingDetail(
    String object, Optional<Instant> at, String says, List<String> evidence) {
  public FindingDetail {
    evidence = List.copyOf(evidence);
  }
}
