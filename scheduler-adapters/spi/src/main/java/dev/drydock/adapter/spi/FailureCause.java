package dev.drydock.adapter.spi;

import dev.drydock.api.JobMend;
import java.util.Optional;

/**
 * What is known of why a step did not end well.
 *
 * @param word the same for all hosts that fail alike, of a-z, 0-9 and -; empty where there is none
 * @param mend what can mend it; empty where that is not known
 * @param untouched whether it is known that what runs on the host was not changed, by this attempt
 *     or one before it
 */
public record FailureCause(String word, Optional<JobMend> mend, boolean untouched) {
  public static final FailureCause UNTOLD = new FailureCause("", Optional.empty(), false);

  /** Waiting can mend it. */
  public static FailureCause time(String word) {
    return new FailureCause(word, Optional.of(JobMend.Time), false);
  }

  /** Only people can mend it. */
  public static FailureCause people(String word) {
    return new FailureCause(word, Optional.of(JobMend.People), false);
  }

  public FailureCause andUntouched(boolean known) {
    return new FailureCause(word, mend, known);
  }
}
