package dev.drydock.orchestrator.subscriptions;

import dev.drydock.platform.identity.Principal;
import java.util.Optional;
import java.util.regex.Pattern;

/** Which subscription of which team. Names are unique within a team only. */
public record SubscriptionId(String team, String name) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern TEAM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final char BETWEEN = '~';

  static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  static boolean isTeam(String text) {
    return TEAM.matcher(text).matches();
  }

  /** TEAM~NAME, or the bare name of one of the caller's team. Empty if nothing can be named so. */
  static Optional<SubscriptionId> read(String text, Principal caller) {
    int between = text.indexOf(BETWEEN);
    SubscriptionId read =
        between < 0
            ? new SubscriptionId(caller.team(), text)
            : new SubscriptionId(text.substring(0, between), text.substring(between + 1));
    return Optional.of(read).filter(id -> isTeam(id.team()) && isName(id.name()));
  }

  @Override
  public String toString() {
    return team + BETWEEN + name;
  }
}
