package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Calendar;
import dev.drydock.impact.core.ExternalAnswers;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.core.Rule;
import dev.drydock.impact.core.WeeklyWindow;
import dev.drydock.impact.policy.PolicyParser;
import dev.drydock.lock.core.LockTable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the judge goes by: one view of the fleet, and the policies in force. */
final class Analyzer {
  private static final Map<String, Policy> PARSED = new ConcurrentHashMap<>();

  private final Agenda agenda;
  private final Store store;
  private final Inventory inventory;
  private final Controllers controllers;
  private final Monitoring monitoring;
  private final History history;
  private final Bug bug;
  private final Instant begin;
  private Map<String, String> elected;

  Analyzer(
      Agenda agenda,
      Store store,
      Inventory inventory,
      Controllers controllers,
      Monitoring monitoring,
      History history,
      Bug bug) {
    this.agenda = agenda;
    this.store = store;
    this.inventory = inventory;
    this.controllers = controllers;
    this.monitoring = monitoring;
    this.history = history;
    this.bug = bug;
    begin = agenda.now();
    elected = store.policies();
  }

  /** Another process goes by it from now on. */
  void elected() {
    elected = store.policies();
  }

  Fleet fleet(LockTable table) {
    ExternalAnswers externalAnswers = new ExternalAnswers(monitoring.read(), controllers.read());
    return inventory.fleet(agenda.now(), table, history.read(table), externalAnswers);
  }

  Policies policies() {
    boolean old = bug == Bug.KEEPS_THE_POLICIES_OF_ITS_ELECTION;
    Map<String, Policy> byApplication = new HashMap<>();
    for (String text : (old ? elected : store.policies()).values()) {
      Policy policy = seen(PARSED.computeIfAbsent(text, Analyzer::parsed));
      policy.applications().forEach(application -> byApplication.put(application, policy));
    }
    return new Policies(byApplication, Map.of());
  }

  private static Policy parsed(String text) {
    PolicyParser.Parsed parsed = PolicyParser.parse(text);
    return parsed
        .policy()
        .orElseThrow(() -> new IllegalStateException(parsed.faults() + " in\n" + text));
  }

  private Policy seen(Policy policy) {
    List<Rule> rules = policy.rules();
    if (bug == Bug.DROPS_A_RULE && rules.size() > 1) {
      rules = rules.subList(1, rules.size());
    }
    return new Policy(
        policy.name(),
        policy.version(),
        policy.team(),
        policy.applications(),
        rules.stream().map(rule -> rule instanceof Calendar c ? seen(c) : rule).toList(),
        policy.desired(),
        policy.healthAgeMax(),
        policy.drainTimeout(),
        policy.lateDrain(),
        policy.zonesTogether(),
        policy.canary());
  }

  private Calendar seen(Calendar calendar) {
    return switch (bug) {
      case IGNORES_WINDOWS -> new Calendar(List.of(), calendar.blackouts(), calendar.expected());
      case IGNORES_BLACKOUTS -> new Calendar(calendar.windows(), List.of(), calendar.expected());
      case BEGINS_WHAT_CANNOT_END_IN_TIME ->
          new Calendar(calendar.windows(), calendar.blackouts(), Duration.ZERO);
      case MISSES_THAT_CLOCKS_CHANGED ->
          new Calendar(
              calendar.windows().stream().map(this::asAtTheBeginning).toList(),
              calendar.blackouts(),
              calendar.expected());
      default -> calendar;
    };
  }

  private WeeklyWindow asAtTheBeginning(WeeklyWindow weeklyWindow) {
    return new WeeklyWindow(
        weeklyWindow.zone().getRules().getOffset(begin),
        weeklyWindow.days(),
        weeklyWindow.from(),
        weeklyWindow.to());
  }
}
