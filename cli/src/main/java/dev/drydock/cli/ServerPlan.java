package dev.drydock.cli;

import dev.drydock.api.PlanTimeline;
import dev.drydock.api.RolloutPlan;
import dev.drydock.impact.plan.Bound;
import dev.drydock.impact.plan.Infeasible;
import dev.drydock.impact.plan.Plan;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A plan the server made: told like one made from files, and kept so that it can be started. */
record ServerPlan(RolloutPlan record) {
  private static final long LIMIT_BYTES = 256L << 20;

  static ServerPlan read(Path file) {
    String undone = "nothing was started";
    TextFile text = TextFile.readAll(List.of(file), LIMIT_BYTES, undone).getFirst();
    try {
      return new ServerPlan(Json.readStrict(text.content(), RolloutPlan.class));
    } catch (InvalidRecordException none) {
      throw CommandFailure.input(
          List.of(file + ": is no plan that 'rollout plan --release' wrote: " + none.getMessage()),
          undone);
    }
  }

  void write(Path file) {
    try {
      Files.writeString(file, Json.write(record) + "\n");
    } catch (IOException e) {
      throw new CommandFailure(
          ExitCode.FAILED, List.of(), "cannot write " + file + ": " + e.getMessage());
    }
  }

  /** All it was made for, in the order in which they are taken. */
  List<String> hosts() {
    List<String> hosts = new ArrayList<>();
    record.getSteps().forEach(step -> hosts.addAll(step.getHosts()));
    record.getWaiting().forEach(waiting -> hosts.addAll(waiting.getHosts()));
    record.getInfeasible().forEach(never -> hosts.addAll(never.getHosts()));
    return hosts;
  }

  void show(CliEnvironment around, @Nullable Path out) {
    new PlanView(
            around,
            plan(),
            Instant.ofEpochMilli(record.getAt()),
            record.getDrains(),
            record.getDurations())
        .show(out);
    record
        .getCanaries()
        .forEach(
            canaries ->
                around
                    .out()
                    .println(
                        TextFormat.canaries(
                            canaries.getPolicy(),
                            canaries.getHosts(),
                            Duration.ofSeconds(canaries.getSoakSeconds()))));
    record
        .getWindows()
        .forEach((policy, windows) -> around.out().println("policy " + policy + ": " + windows));
    around.out().println("revision " + record.getRevision().getDigest());
  }

  Plan plan() {
    return new Plan(
        record.getSteps().stream()
            .map(
                step ->
                    new Plan.Step(
                        "",
                        List.copyOf(step.getHosts()),
                        step.getBeginMillis(),
                        step.getEndMillis()))
            .toList(),
        record.getWaiting().stream()
            .map(
                waiting ->
                    new Plan.Waiting(
                        "",
                        List.copyOf(waiting.getHosts()),
                        String.join("; ", waiting.getReasons())))
            .toList(),
        record.getInfeasible().stream()
            .map(
                never ->
                    new Infeasible(List.copyOf(never.getHosts()), List.copyOf(never.getReasons())))
            .toList(),
        record.getMakespanMillis(),
        new Bound(record.getBoundMillis(), record.getBoundFormula()),
        record.getApplications().stream().map(ServerPlan::timeline).toList(),
        List.copyOf(record.getAssumed()),
        0);
  }

  private static Plan.Timeline timeline(PlanTimeline line) {
    return new Plan.Timeline(
        line.getApplication(),
        line.getInstances(),
        line.getBeginMillis(),
        line.getEndMillis(),
        line.getDownMost(),
        Optional.ofNullable(line.getDownAllowed()));
  }
}
