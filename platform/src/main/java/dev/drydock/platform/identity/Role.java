package dev.drydock.platform.identity;

import java.util.Locale;
import java.util.Optional;

/** What a principal may do. {@link #ADMIN} may do everything; the others are not ordered. */
public enum Role {
  /** Reads everything, changes nothing. */
  VIEWER,
  /** Starts rollouts, adds releases, takes tickets. */
  OPERATOR,
  /** Changes the policies of its own team, and pauses rollouts that touch its applications. */
  OWNER,
  /** Claims the jobs of its topics and reports what it observes. */
  CONSUMER,
  /** Everything. */
  ADMIN;

  /** The word used in token files and audit rows. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The role of a word, if there is one. */
  public static Optional<Role> ofWord(String word) {
    for (Role role : values()) {
      if (role.word().equals(word)) {
        return Optional.of(role);
      }
    }
    return Optional.empty();
  }
}
