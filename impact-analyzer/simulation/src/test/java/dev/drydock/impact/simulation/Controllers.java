package dev.drydock.impact.simulation;

import dev.drydock.impact.core.ControllerAnswer;
import dev.drydock.impact.core.ControllerInquiry;
import dev.drydock.impact.core.ControllerQuestion;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.FleetRound.Questions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The teams' controllers and the board between them and the grantor. They change their mind, answer
 * late, never or wrongly, until it is calm; each lets at most so many of its instances be down.
 */
final class Controllers {
  private static final double TIMEOUT_SECONDS = 10;
  private static final Duration AGAIN = Duration.ofSeconds(5);
  private static final int GROUPS_MAX = 4;
  private static final int READ_MAX = 50;

  private final Agenda agenda;
  private final Verifier verifier;
  private final Map<String, Integer> mostDown;
  private final Bug bug;
  private final Map<String, List<ControllerInquiry>> asks = new HashMap<>();
  private final Map<String, Set<String>> shut = new HashMap<>();
  private Map<String, List<ControllerQuestion>> wanted = new LinkedHashMap<>();
  private Runnable changed = () -> {};
  private boolean calm;

  Controllers(Agenda agenda, Verifier verifier, Map<String, Integer> mostDown, Bug bug) {
    this.agenda = agenda;
    this.verifier = verifier;
    this.mostDown = mostDown;
    this.bug = bug;
  }

  void whenChanged(Runnable then) {
    changed = then;
  }

  void calm() {
    calm = true;
    shut.clear();
  }

  /** It lets nothing of this instance down for a while. */
  void changesItsMind(String application, String instance) {
    Set<String> here = shut.computeIfAbsent(application, _ -> new HashSet<>());
    here.add(instance);
    agenda.in(agenda.between(5, 60), () -> here.remove(instance));
  }

  /** What a pass wants to know; asked a moment later where nothing is open. */
  Questions begin() {
    wanted = new LinkedHashMap<>();
    Set<Set<String>> judged = new HashSet<>();
    Map<String, List<ControllerQuestion>> mine = wanted;
    return (hosts, questions) -> {
      if (judged.add(Set.copyOf(hosts))) {
        questions.forEach(
            controllerQuestion ->
                mine.computeIfAbsent(
                        controllerQuestion.controller().topic(), _ -> new ArrayList<>())
                    .add(controllerQuestion));
      }
    };
  }

  void put() {
    if (!wanted.isEmpty()) {
      Map<String, List<ControllerQuestion>> mine = wanted;
      agenda.in(agenda.between(0.01, 0.2), () -> mine.forEach(this::ask));
    }
  }

  private void ask(String topic, List<ControllerQuestion> questions) {
    List<ControllerInquiry> known = asks.computeIfAbsent(topic, _ -> new ArrayList<>());
    if (!known.isEmpty() && known.getLast().outcome() instanceof ControllerInquiry.Open) {
      return;
    }
    List<ControllerInquiry.Group> groups = new ArrayList<>();
    Set<String> down = new TreeSet<>();
    for (ControllerQuestion controllerQuestion :
        questions.subList(0, Math.min(GROUPS_MAX, questions.size()))) {
      groups.add(
          new ControllerInquiry.Group(controllerQuestion.groupIds(), controllerQuestion.begun()));
      controllerQuestion.presumedDown().stream().map(FleetInstance::id).forEach(down::add);
    }
    ControllerInquiry controllerInquiry =
        new ControllerInquiry(
            known.size() + 1, agenda.now(), groups, down, new ControllerInquiry.Open());
    known.add(controllerInquiry);
    double takes = calm || agenda.chance(0.9) ? agenda.between(0.1, 3) : agenda.between(5, 20);
    boolean never = !calm && agenda.chance(0.05);
    if (!never && takes < TIMEOUT_SECONDS) {
      agenda.in(takes, () -> answer(topic, controllerInquiry));
    }
    agenda.in(TIMEOUT_SECONDS, () -> ended(topic, controllerInquiry, silent()));
  }

  private ControllerInquiry.Outcome silent() {
    return new ControllerInquiry.Silent("did not answer in time", agenda.now().plus(AGAIN));
  }

  private void answer(String topic, ControllerInquiry controllerInquiry) {
    Set<String> down = new HashSet<>(controllerInquiry.presumedDown());
    List<String> approved = new ArrayList<>();
    List<String> denied = new ArrayList<>();
    for (ControllerInquiry.Group group : controllerInquiry.groups()) {
      Set<String> beside = new HashSet<>(down);
      beside.removeAll(group.instances());
      int then = beside.size() + group.instances().size();
      boolean may =
          group.instances().stream().noneMatch(shut.getOrDefault(topic, Set.of())::contains)
              && (beside.isEmpty() || then <= mostDown.getOrDefault(topic, 0));
      if (may) {
        down.addAll(group.instances());
      }
      (may ? approved : denied).addAll(new TreeSet<>(group.instances()));
    }
    if (!calm && agenda.chance(0.05)) {
      (approved.isEmpty() ? denied : approved).removeFirst();
    }
    ControllerAnswer controllerAnswer =
        new ControllerAnswer(decision(approved, denied), approved, distinct(denied), List.of());
    Collection<Set<String>> groups =
        controllerInquiry.groups().stream().map(ControllerInquiry.Group::instances).toList();
    Optional<String> fault = controllerAnswer.fault(groups);
    if (fault.isEmpty()) {
      Instant until = agenda.now().plusMillis((long) (1000 * agenda.between(1, 90)));
      Instant again = agenda.now().plus(AGAIN);
      ended(
          topic,
          controllerInquiry,
          new ControllerInquiry.Answered(Set.copyOf(approved), "denied it", until, again));
    }
  }

  private static List<String> distinct(List<String> ids) {
    return ids.stream().distinct().toList();
  }

  private static ControllerAnswer.Decision decision(List<String> approved, List<String> denied) {
    return approved.isEmpty()
        ? ControllerAnswer.Decision.DENIED
        : denied.isEmpty() ? ControllerAnswer.Decision.APPROVED : ControllerAnswer.Decision.PARTIAL;
  }

  private void ended(
      String topic, ControllerInquiry controllerInquiry, ControllerInquiry.Outcome outcome) {
    List<ControllerInquiry> known = asks.getOrDefault(topic, List.of());
    int at = (int) controllerInquiry.round() - 1;
    if (known.get(at).outcome() instanceof ControllerInquiry.Open) {
      ControllerInquiry ended =
          new ControllerInquiry(
              controllerInquiry.round(),
              controllerInquiry.at(),
              controllerInquiry.groups(),
              controllerInquiry.presumedDown(),
              outcome);
      known.set(at, ended);
      verifier.heard(topic, ended);
      changed.run();
    }
  }

  /** As the grantor reads it. */
  Map<String, List<ControllerInquiry>> read() {
    Map<String, List<ControllerInquiry>> read = new HashMap<>();
    asks.forEach(
        (topic, known) -> {
          List<ControllerInquiry> last =
              known.subList(Math.max(0, known.size() - READ_MAX), known.size());
          read.put(topic, last.stream().map(this::seen).toList());
        });
    return read;
  }

  private ControllerInquiry seen(ControllerInquiry controllerInquiry) {
    List<ControllerInquiry.Group> groups = controllerInquiry.groups();
    Set<String> down = controllerInquiry.presumedDown();
    ControllerInquiry.Outcome outcome = controllerInquiry.outcome();
    switch (bug) {
      case ACCEPTS_APPROVALS_THAT_ENDED -> {
        if (outcome
            instanceof ControllerInquiry.Answered(var approved, var says, var until, var again)) {
          outcome = new ControllerInquiry.Answered(approved, says, until.plusSeconds(3600), again);
        }
      }
      case FORGETS_WHAT_WAS_PRESUMED_DOWN -> down = Set.copyOf(verifier.everyInstance());
      case TAKES_SILENCE_FOR_YES -> {
        if (outcome instanceof ControllerInquiry.Silent) {
          Set<String> all = new HashSet<>();
          groups.forEach(group -> all.addAll(group.instances()));
          outcome =
              new ControllerInquiry.Answered(all, "", agenda.now().plusSeconds(30), agenda.now());
        }
      }
      case ASKS_ONLY_ONCE ->
          groups =
              groups.stream().map(g -> new ControllerInquiry.Group(g.instances(), true)).toList();
      default -> {}
    }
    return new ControllerInquiry(
        controllerInquiry.round(), controllerInquiry.at(), groups, down, outcome);
  }
}
