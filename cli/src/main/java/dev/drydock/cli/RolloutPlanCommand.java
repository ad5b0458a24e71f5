package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.RolloutRequest;
import dev.drydock.impact.core.CanaryGate;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.fleet.CsvFleet;
import dev.drydock.impact.fleet.InvalidInputException;
import dev.drydock.impact.fleet.PublishedFleet;
import dev.drydock.impact.plan.CompactFleet;
import dev.drydock.impact.plan.Plan;
import dev.drydock.impact.plan.PlanInput;
import dev.drydock.impact.plan.PlannedRollout;
import dev.drydock.impact.plan.Planner;
import dev.drydock.impact.plan.PolicyCanaries;
import dev.drydock.impact.plan.SearchBudget;
import dev.drydock.impact.policy.PolicyFolder;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Plans a rollout, by the same core that grants: from files without a server, or by the server,
 * from what it knows now.
 */
@Command(
    name = "plan",
    description =
        "Say when each host could be taken: from files (--fleet), or by what the server knows"
            + " (--hosts or --selector, and --release).",
    mixinStandardHelpOptions = true)
final class RolloutPlanCommand implements Callable<Integer> {
  private static final String UNDONE = "nothing was planned";
  private static final Duration SERVER_PLANS = Duration.ofMinutes(2);

  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Option(
      names = "--fleet",
      paramLabel = "FILE",
      description =
          "CSV with instance,application,host,zone and, if wanted, capacity, seconds and label.KEY;"
              + " or a published model_*.txt.")
  @Nullable Path fleetFile;

  @Option(
      names = "--release",
      paramLabel = "NAME",
      description = "A release of the catalogue: the server plans.")
  @Nullable String release;

  @Option(
      names = "--policy",
      paramLabel = "DIR",
      description = "Policies of all applications, one YAML file each.")
  @Nullable Path policyFolder;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description =
          "Where to write host,start,end in seconds from the beginning; the server's plan, as JSON"
              + " that 'rollout start --plan' takes.")
  @Nullable Path out;

  @Option(
      names = "--hosts",
      paramLabel = "FILE",
      description = "Only these, one per line, ranges such as web[001-120].dc1 too (default: all).")
  @Nullable Path hostsFile;

  @Mixin final HostSelectorOptions selector = new HostSelectorOptions();

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      defaultValue = "1h",
      converter = DurationParser.class,
      description = "Work on a host of which the fleet does not say (default: 1h).")
  Duration duration = Duration.ofHours(1);

  @Option(
      names = "--begin",
      paramLabel = "TIME",
      converter = TimestampParser.class,
      description =
          "When it begins, such as 2026-06-01T09:00:00Z or 2026-06-01T09:00+02:00, for windows"
              + " (default: now).")
  @Nullable Instant begin;

  @Option(
      names = "--at-once",
      paramLabel = "HOSTS",
      description = "At most so many hosts at once, besides all rules.")
  int atOnce = Integer.MAX_VALUE;

  @Option(
      names = "--canary",
      paramLabel = "HOSTS",
      description = "So many hosts first, in place of those that policies ask for.")
  int canary;

  @Option(
      names = "--soak",
      paramLabel = "TIME",
      defaultValue = "30m",
      converter = DurationParser.class,
      description = "How long the first hosts are watched before the rest (default: 30m).")
  Duration soak = Duration.ofMinutes(30);

  @Option(
      names = "--search",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationParser.class,
      description = "How long to search for a shorter plan (default: 1s).")
  Duration search = Duration.ofSeconds(1);

  RolloutPlanCommand(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    boolean selected = !selector.text().isEmpty();
    if (fleetFile != null && release == null && out != null && !selected) {
      return offline(fleetFile, out);
    }
    if (fleetFile == null && release != null && hostsFile != null && !selected) {
      HostsFile file = HostsFile.read(hostsFile);
      return online(
          new RolloutRequest().setRelease(release).setHosts(WireCollections.strings(file.hosts())),
          file::place);
    }
    if (fleetFile == null && release != null && hostsFile == null && selected) {
      return online(
          new RolloutRequest().setRelease(release).setSelector(selector.text()),
          FaultLocations::option);
    }
    throw CommandFailure.usage(
        "give --fleet and --out to plan from files, or --hosts or --selector, and --release, to have"
            + " the server plan");
  }

  private int online(RolloutRequest request, Function<ErrorDetail, String> place) {
    ServerPlan planned;
    try (DrydockClient client = connection.open(SERVER_PLANS)) {
      planned = new ServerPlan(client.planRollout(request));
    } catch (CallException e) {
      throw CommandFailure.of(e, place);
    }
    if (out != null) {
      planned.write(out);
    }
    planned.show(around, out);
    return exitCode(planned.plan());
  }

  private static int exitCode(Plan plan) {
    return plan.infeasible().isEmpty() && plan.waiting().isEmpty() ? ExitCode.OK : ExitCode.REFUSED;
  }

  private int offline(Path fleetFile, Path out) {
    if (duration.isZero() || atOnce < 1 || canary < 0) {
      throw CommandFailure.usage(
          "--duration and --at-once must be more than nothing, --canary not less");
    }
    Input input = input(fleetFile);
    PlannedRollout plannedRollout =
        new PlannedRollout("plan", 0, Duration.ZERO, hosts(fleetFile, input.fleet()), canary, soak);
    // As the file says seconds: a plan of now is told like one of a moment somebody wrote.
    Instant at = (begin == null ? Instant.now() : begin).truncatedTo(ChronoUnit.SECONDS);
    List<CanaryGate> gates = gates(input, at, plannedRollout);
    PlanInput planInput =
        situation(input, at, plannedRollout.behind(PolicyCanaries.gates(input.fleet(), gates)));
    Plan plan;
    try (PlanProgress progress = new PlanProgress(around, search, System::nanoTime)) {
      plan = Planner.plan(planInput, progress);
    }
    try {
      PlanFile.write(out, plan);
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.FAILED, List.of(), "cannot write " + out + ": " + e.getMessage());
    }
    Map<String, Integer> drains =
        input.policies().drains(input.fleet().applicationsOn(plannedRollout.hosts()));
    new PlanView(around, plan, at, drains, Map.of()).show(out);
    for (CanaryGate gate : gates) {
      around
          .out()
          .println(TextFormat.canaries(gate.policy(), gate.canaries(), gate.canary().soak()));
    }
    return exitCode(plan);
  }

  private PlanInput situation(Input input, Instant at, PlannedRollout plannedRollout) {
    return new PlanInput(
        input.fleet(),
        input.policies(),
        at,
        input.policies().zonesTogether(),
        Map.of(),
        List.of(),
        atOnce,
        GrantorPass.Limits.HOSTS_PER_GRANT_MAX,
        List.of(plannedRollout));
  }

  /** Who goes first by the policies, as a server would choose; --canary comes in their place. */
  private List<CanaryGate> gates(Input input, Instant at, PlannedRollout plannedRollout) {
    if (canary > 0 || !PolicyCanaries.wanted(input.policies())) {
      return List.of();
    }
    Plan without = Planner.plan(situation(input, at, plannedRollout), SearchBudget.none());
    return PolicyCanaries.of(
        input.fleet(), input.policies(), PolicyCanaries.batches(List.of(), without));
  }

  private record Input(CompactFleet fleet, Policies policies) {}

  private Input input(Path fleetFile) {
    PolicyFolder folder = policyFolder == null ? null : PolicyFolder.read(policyFolder);
    List<String> faults = new ArrayList<>(folder == null ? List.of() : folder.faults());
    try {
      if (fleetFile.getFileName() != null
          && fleetFile.getFileName().toString().matches("model_.*\\.txt")) {
        PublishedFleet published = PublishedFleet.read(fleetFile, duration);
        if (faults.isEmpty()) {
          return new Input(
              published.fleet(), folder == null ? published.policies() : folder.policies());
        }
      } else if (folder == null) {
        throw CommandFailure.usage("--policy DIR is needed: without rules nothing may go down");
      } else {
        Map<String, Policy> known = folder.policies().byApplication();
        // Where policies have faults, an application without one may just be in a broken file.
        boolean broken = !faults.isEmpty();
        CompactFleet fleet =
            CsvFleet.read(fleetFile, duration, name -> broken || known.containsKey(name));
        if (faults.isEmpty()) {
          return new Input(fleet, folder.policies());
        }
      }
    } catch (InvalidInputException bad) {
      faults.addAll(bad.faults());
    }
    throw CommandFailure.input(faults, UNDONE);
  }

  private int[] hosts(Path fleetFile, CompactFleet fleet) {
    if (hostsFile == null) {
      return fleet.allHosts();
    }
    HostsFile wanted = HostsFile.read(hostsFile);
    List<String> faults = new ArrayList<>();
    int[] numbers = new int[wanted.entries().size()];
    for (int i = 0; i < numbers.length; i++) {
      HostsFile.Entry entry = wanted.entries().get(i);
      numbers[i] = fleet.hostNumber(entry.host());
      if (numbers[i] < 0) {
        faults.add(
            "%s:%d: host %s is not in %s%s"
                .formatted(
                    hostsFile, entry.line(), entry.host(), fleetFile, alike(entry.host(), fleet)));
      }
    }
    if (!faults.isEmpty()) {
      throw CommandFailure.input(faults, UNDONE);
    }
    return numbers;
  }

  /** What was probably meant: names are compared letter by letter, capitals too. */
  private static String alike(String host, CompactFleet fleet) {
    return Arrays.stream(fleet.allHosts())
        .mapToObj(fleet::host)
        .filter(known -> known.equalsIgnoreCase(host))
        .findFirst()
        .map(known -> ": did you mean " + known + "?")
        .orElse("");
  }
}
