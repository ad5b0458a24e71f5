package dev.drydock.cli;

import dev.drydock.api.HostDecision;
import dev.drydock.api.HostFinding;
import dev.drydock.lock.core.Verdict;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "why",
    description =
        "Why a host was granted, made to wait or refused, now or at a moment in the past.",
    mixinStandardHelpOptions = true)
final class HostWhy implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "NAME", description = "The host.")
  String name = "";

  @Option(
      names = "--at",
      paramLabel = "TIME",
      converter = TimestampParser.class,
      description = "As it was then, such as 2026-11-21T02:30:00Z or 2026-11-21T02:30+01:00.")
  @Nullable Instant at;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "5",
      description = "How many decisions to look back, at most 1000 (default: ${DEFAULT-VALUE}).")
  int count;

  @Option(
      names = "--all",
      description = "All reasons for which it waits, not only the one that lasts longest.")
  boolean all;

  HostWhy(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      List<HostDecision> decisions =
          at == null
              ? client.hostDecisions(name, Long.MAX_VALUE, count)
              : client.hostDecisions(name, at.toEpochMilli(), count);
      if (!output.format.isForPeople()) {
        output.list(decisions, TableViews.HOST_DECISIONS, WireCollections::tree);
      } else if (decisions.isEmpty()) {
        output.say(name + ": nothing was decided about it" + (at == null ? " yet" : " until then"));
      } else {
        tell(decisions);
      }
      return ExitCode.OK;
    }
  }

  private void tell(List<HostDecision> decisions) {
    HostDecision newest = decisions.getFirst();
    String whom =
        newest.hasRollout()
            ? "rollout " + newest.getRollout()
            : Objects.toString(newest.getBy(), "");
    List<String> reasons = List.of(newest.getReason().split(Pattern.quote(Verdict.ALSO), -1));
    output.say(
        "%s: %s%s since %s: %s"
            .formatted(
                name,
                newest.getDecision().toLowerCase(Locale.ROOT),
                whom.isEmpty() ? "" : " (" + whom + ")",
                Instant.ofEpochMilli(newest.getAt()),
                reasons.getFirst()
                    + (all || reasons.size() == 1
                        ? ""
                        : " (and %d more: --all)".formatted(reasons.size() - 1))));
    if (all) {
      reasons.subList(1, reasons.size()).forEach(reason -> output.say("  also " + reason));
    }
    for (HostFinding finding : newest.getFindings()) {
      output.say("  %s %s".formatted(finding.isAllows() ? "yes" : "no ", finding.getDetail()));
    }
    if (decisions.size() > 1) {
      output.say("");
      output.list(
          decisions.subList(1, decisions.size()), TableViews.HOST_DECISIONS, WireCollections::tree);
    }
  }
}
