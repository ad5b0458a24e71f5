package dev.drydock.impact.simulation;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Draws the policies of one scenario: what kinds of rules occur there, and which a team has. */
final class PolicyDraft {
  /** A window that opens late enough to be open for as long as anybody still works. */
  private static final int LAST_MINUTES = 480;

  private final Agenda agenda;
  private final Season season;
  private final boolean windows;
  private final boolean gates;
  private final boolean racks;
  private final boolean past;
  private final boolean canaries;
  private final List<int[]> plan = new ArrayList<>();

  PolicyDraft(Agenda agenda, Season season) {
    this.agenda = agenda;
    this.season = season;
    windows = agenda.chance(season.clocksChange() ? 0.4 : 0.15);
    gates = agenda.chance(0.25);
    racks = agenda.chance(0.45);
    past = agenda.chance(0.35);
    canaries = agenda.chance(0.3);
    int from = agenda.whole(-10, 8);
    for (int i = 0; i < 2; i++) {
      int to = from + agenda.whole(10, 20);
      plan.add(new int[] {from, to});
      from = to + agenda.whole(3, 8);
    }
    plan.add(new int[] {from, LAST_MINUTES});
  }

  /**
   * What a policy has to let pass.
   *
   * @param capacities of all instances of the application
   * @param most of them in the largest batch
   * @param mostRacks racks of the largest batch
   */
  record Subject(String name, List<Integer> capacities, int most, int mostRacks) {
    int count() {
      return capacities.size();
    }

    /** The most units that the largest batch can have. */
    int largest() {
      return capacities.stream()
          .sorted(Comparator.reverseOrder())
          .limit(most)
          .mapToInt(units -> units)
          .sum();
    }
  }

  /** Mostly one that lets the largest batch pass. */
  String policy(Subject of) {
    StringBuilder spec = new StringBuilder();
    spec.append("apiVersion: drydock.dev/v1\nkind: UpgradePolicy\n");
    spec.append("metadata: {name: %s, team: team}\n".formatted(of.name()));
    spec.append("spec:\n  applications: [%s]\n  capacity:\n".formatted(of.name()));
    List<String> rules = capacity(of);
    rules.forEach(rule -> spec.append("    - {%s}\n".formatted(rule)));
    boolean share = rules.stream().anyMatch(rule -> rule.endsWith("%}"));
    if (!share && agenda.chance(0.3)) {
      spec.append("  desired: %d\n".formatted(of.count()));
    }
    if (canaries && agenda.chance(0.5)) {
      spec.append(
          "  canary: {hosts: %d, soak: %ds}\n"
              .formatted(agenda.whole(1, 3), agenda.whole(30, 300)));
    }
    spec.append("  health:\n    maxAge: %ds\n".formatted(agenda.whole(20, 60)));
    if (gates && agenda.chance(0.6)) {
      String lasting = agenda.chance(0.5) ? ", for: " + agenda.whole(10, 90) + "s" : "";
      spec.append(
          "    gates:\n      - {promql: 'errors_%s < 1'%s}\n".formatted(of.name(), lasting));
    }
    boolean blackout = agenda.chance(0.2);
    boolean window = windows && agenda.chance(0.6);
    if (blackout) {
      spec.append("  blackouts:\n").append(blackout());
    }
    if (window) {
      spec.append("  windows:\n");
      plan.forEach(times -> spec.append(window(times)));
    }
    if (blackout || window) {
      spec.append("  expectedDuration: 5m\n");
    }
    return spec.toString();
  }

  private List<String> capacity(Subject of) {
    List<String> rules = new ArrayList<>();
    int more = agenda.whole(0, Math.max(1, of.count() / 8));
    int spare = agenda.chance(0.05) ? of.most() - 1 : of.most() + more;
    if (of.capacities().stream().anyMatch(units -> units > 1)) {
      rules.add("minAvailable: {capacity: %s}".formatted(least(of)));
    }
    if (agenda.chance(0.6)) {
      rules.add("maxZonesInFlight: " + agenda.whole(1, 2));
    }
    if (racks && agenda.chance(0.6)) {
      int max = of.mostRacks() + (agenda.chance(0.3) ? 1 : 0);
      rules.add("maxDomainsInFlight: {topologyKey: %s, max: %d}".formatted(Scenario.RACK, max));
    }
    if (past && agenda.chance(0.5)) {
      rules.add("disruptionInterval: " + agenda.whole(3, 12) + "m");
    }
    if (past && agenda.chance(0.5)) {
      int max = of.most() + agenda.whole(0, 2);
      int per = Math.clamp(3000L * max / of.count(), 60, 400);
      rules.add("disruptionRate: {max: %s, per: %ds}".formatted(amount(max, of.count()), per));
    }
    if (agenda.chance(0.3)) {
      rules.add("minAvailable: " + Math.max(0, of.count() - of.most() - agenda.whole(0, more)));
    }
    rules.add("maxUnavailable: " + amount(spare, of.count()));
    return rules;
  }

  /** What is left with the largest batch taken or a little less, in units or as a share. */
  private String least(Subject of) {
    int all = of.capacities().stream().mapToInt(units -> units).sum();
    int least = Math.max(1, all - of.largest() - agenda.whole(0, 3));
    return agenda.chance(0.5) ? "" + least : Math.max(1, 100 * least / all) + "%";
  }

  /** A number or the least share of it. */
  private String amount(int number, int of) {
    int percent = Math.min(100, (100 * number + of - 1) / of);
    return agenda.chance(0.5) ? percent + "%" : "" + number;
  }

  /** Those of several teams have most of their time in common. */
  private String window(int[] times) {
    Instant from = season.begin().plus(times[0] + agenda.whole(0, 2), ChronoUnit.MINUTES);
    Instant to = season.begin().plus(times[1] - agenda.whole(0, 2), ChronoUnit.MINUTES);
    LocalDateTime opens = shown(from, season.zone());
    Set<DayOfWeek> days = EnumSet.of(opens.getDayOfWeek());
    days.add(DayOfWeek.of(agenda.whole(1, 7)));
    String on =
        agenda.chance(0.5) ? "" : ", days: " + days.stream().map(PolicyDraft::name).toList();
    return "    - {timezone: %s, from: \"%s\", to: \"%s\"%s}\n"
        .formatted(season.zone(), opens.toLocalTime(), shown(to, season.zone()).toLocalTime(), on);
  }

  private static String name(DayOfWeek day) {
    return day.getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
  }

  private String blackout() {
    Instant from = season.begin().plus(agenda.whole(2, 15), ChronoUnit.MINUTES);
    Instant to = from.plus(agenda.whole(2, 10), ChronoUnit.MINUTES);
    boolean backwards = !shown(to, season.zone()).isAfter(shown(from, season.zone()));
    ZoneId zone = backwards || agenda.chance(0.3) ? ZoneOffset.UTC : season.zone();
    LocalDateTime yesterday = shown(season.begin(), zone).minusDays(1);
    return ("    - {timezone: %1$s, from: %2$s, to: %3$s, reason: sale}\n"
            + "    - {timezone: %1$s, from: %4$s, to: %4$s, reason: the day before}\n")
        .formatted(
            zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId(),
            shown(from, zone),
            shown(to, zone),
            yesterday.toLocalDate());
  }

  private static LocalDateTime shown(Instant at, ZoneId zone) {
    return LocalDateTime.ofInstant(at, zone).truncatedTo(ChronoUnit.MINUTES);
  }
}
