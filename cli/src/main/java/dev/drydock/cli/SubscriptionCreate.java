package dev.drydock.cli;

import dev.drydock.api.NotificationEvent;
import dev.drydock.api.NotificationEventArray;
import dev.drydock.api.Subscription;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "create",
    description = "Be told what happens from now on to hosts with your team's applications.",
    mixinStandardHelpOptions = true)
final class SubscriptionCreate implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;

  @Parameters(paramLabel = "NAME", description = "Lower-case letters, digits and '-'.")
  String name = "";

  @Option(
      names = "--event",
      paramLabel = "WORD",
      split = ",",
      description = "Only these (default: all): ${COMPLETION-CANDIDATES}.",
      completionCandidates = Words.class)
  List<NotificationEvent> events = List.of();

  @Option(
      names = "--application",
      paramLabel = "NAME",
      split = ",",
      description = "Only of these of your team's applications (default: all).")
  List<String> applications = List.of();

  @Option(
      names = "--rollout",
      paramLabel = "ID",
      split = ",",
      description = "Only of these rollouts (default: all).")
  List<String> rollouts = List.of();

  @Option(
      names = "--team",
      paramLabel = "TEAM",
      description = "For that team; for administrators (default: your own).")
  String team = "";

  /** What there is to choose from. */
  static final class Words implements Iterable<String> {
    @Override
    public java.util.Iterator<String> iterator() {
      return java.util.Arrays.stream(NotificationEvent.values())
          .filter(word -> word != NotificationEvent.$UNKNOWN)
          .map(NotificationEvent::name)
          .iterator();
    }
  }

  SubscriptionCreate(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      String id =
          client.createSubscription(
              new Subscription()
                  .setName(name)
                  .setTeam(team)
                  .setEvents(new NotificationEventArray(events))
                  .setApplications(WireCollections.strings(applications))
                  .setRollouts(WireCollections.strings(rollouts)));
      around.out().println(id);
      SubscriptionViews.warn(around, client.subscription(id));
      return ExitCode.OK;
    }
  }
}
