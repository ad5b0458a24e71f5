package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.PlanRevision;
import dev.drydock.api.RolloutMode;
import dev.drydock.api.RolloutPriority;
import dev.drydock.api.RolloutRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Submits hosts for a release. The file is checked before anything is sent. */
@Command(name = "start", description = "Bring hosts to a release.", mixinStandardHelpOptions = true)
final class RolloutStart implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;
  @Mixin final WatchRetryBudget patience = new WatchRetryBudget();

  @Option(
      names = "--hosts",
      paramLabel = "FILE",
      description = "One host per line, ranges such as web[001-120].dc1 too; # starts a comment.")
  @Nullable Path hosts;

  @Mixin final HostSelectorOptions selector = new HostSelectorOptions();

  @Option(names = "--release", paramLabel = "NAME", description = "A release of the catalogue.")
  @Nullable String release;

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      description =
          "Start exactly what 'rollout plan --release' wrote: its hosts, to its release; refused,"
              + " with what is different, when it is stale.")
  @Nullable Path plan;

  @Option(
      names = "--revision",
      paramLabel = "R",
      description = "Of the plan that was looked at: refused when it is stale.")
  @Nullable String revision;

  @Option(
      names = "--priority",
      paramLabel = "WORD",
      defaultValue = "Normal",
      description = "Low, Normal or High: whose hosts go first (default: ${DEFAULT-VALUE}).")
  RolloutPriority priority = RolloutPriority.Normal;

  @Option(
      names = "--mode",
      paramLabel = "WORD",
      defaultValue = "PackageUpdate",
      description =
          "PackageUpdate or Reimage: packages in place, or a new installation that keeps the data"
              + " partition (default: ${DEFAULT-VALUE}).")
  RolloutMode mode = RolloutMode.PackageUpdate;

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why, for the audit trail.")
  String reason = "";

  @Option(
      names = "--at",
      paramLabel = "TIME",
      converter = TimestampParser.class,
      description = "When to begin, such as 2026-11-21T02:30:00Z (default: now).")
  @Nullable Instant at;

  @Option(
      names = "--change",
      defaultValue = "",
      paramLabel = "TICKET",
      description = "The change ticket it belongs to, kept with the rollout.")
  String change = "";

  @Mixin final RequestId requestId = new RequestId();

  @Option(names = "--watch", description = "Stay until it has ended.")
  boolean watch;

  RolloutStart(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    Order order = order();
    String id = start(order);
    around
        .err()
        .println(
            "drydock: rollout "
                + id
                + " brings "
                + order.what()
                + " to release "
                + order.release());
    if (watch) {
      return RolloutWatch.watch(around, connection, output, patience, id);
    }
    try (DrydockClient client = connection.open()) {
      output.one(client.rollout(id), TableViews.ROLLOUTS, WireCollections::tree);
      return ExitCode.OK;
    }
  }

  /**
   * What is to be started.
   *
   * @param place where a person wrote what the server complains about
   */
  private record Order(
      List<String> hosts,
      String selector,
      String release,
      Optional<PlanRevision> plan,
      Function<ErrorDetail, String> place) {
    String what() {
      return selector.isEmpty() ? TextFormat.hosts(hosts.size()) : "the hosts with " + selector;
    }
  }

  private Order order() {
    if (plan != null
        && hosts == null
        && release == null
        && revision == null
        && selector.text().isEmpty()) {
      ServerPlan made = ServerPlan.read(plan);
      return new Order(
          made.hosts(),
          "",
          made.record().getRelease(),
          Optional.of(made.record().getRevision()),
          ErrorDetail::getPath);
    }
    Optional<PlanRevision> looked =
        Optional.ofNullable(revision).map(digest -> new PlanRevision().setDigest(digest));
    if (plan == null && hosts != null && release != null && selector.text().isEmpty()) {
      HostsFile file = HostsFile.read(hosts);
      return new Order(file.hosts(), "", release, looked, file::place);
    }
    if (plan == null && hosts == null && release != null && !selector.text().isEmpty()) {
      return new Order(List.of(), selector.text(), release, looked, FaultLocations::option);
    }
    throw CommandFailure.usage(
        "give --hosts or --selector, and --release; or --plan, which names hosts and release");
  }

  private String start(Order order) {
    RolloutRequest request =
        new RolloutRequest()
            .setRelease(order.release())
            .setMode(mode)
            .setHosts(WireCollections.strings(order.hosts()))
            .setSelector(order.selector())
            .setPriority(priority)
            .setReason(reason)
            .setChangeTicket(change)
            .setRequestId(requestId.value());
    order.plan().ifPresent(request::setPlan);
    if (at != null) {
      request.setStartAt(at.toEpochMilli());
    }
    try (DrydockClient client = connection.open()) {
      return client.startRollout(request);
    } catch (CallException e) {
      throw requestId.explained(CommandFailure.of(e, order.place()), e);
    }
  }
}
