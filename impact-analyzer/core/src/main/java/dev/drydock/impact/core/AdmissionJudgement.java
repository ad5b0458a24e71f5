package dev.drydock.impact.core;

import dev.drydock.lock.core.Verdict;
import java.util.List;

/**
 * A verdict with what it waits for.
 *
 * @param questions to controllers whose answers are all that stands against the request; empty when
 *     anything else does
 */
public record AdmissionJudgement(Verdict verdict, List<ControllerQuestion> questions) {
  public AdmissionJudgement {
    questions = List.copyOf(questions);
  }
}
