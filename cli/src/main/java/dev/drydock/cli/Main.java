package dev.drydock.cli;

import dev.drydock.proto.client.CallException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Entry point of {@code drydock}. */
public final class Main {
  private static final String VERSION =
      "drydock "
          + Objects.requireNonNullElse(
              Main.class.getPackage().getImplementationVersion(), "development build");

  private Main() {}

  public static void main(String[] arguments) {
    CliEnvironment real = CliEnvironment.real();
    int code = run(real, arguments);
    real.out().flush();
    real.err().flush();
    System.exit(code);
  }

  static int run(CliEnvironment around, String... arguments) {
    CommandLine root = commands(around, behindDashes(arguments));
    root.setOut(around.out()).setErr(around.err());
    EnumConverter.register(root);
    root.setParameterExceptionHandler((e, args) -> explainUsage(e));
    root.setExecutionExceptionHandler((e, line, result) -> explain(around, e));
    return root.execute(beforeDashes(arguments));
  }

  /**
   * The whole command line.
   *
   * @param behindDashes the command that {@code lock run} runs
   */
  static CommandLine commands(CliEnvironment around, List<String> behindDashes) {
    CommandLine root =
        group("drydock", "Upgrades the hosts of a fleet while their traffic is served.");
    root.addSubcommand(
        group(
            "policy",
            "The rules of the teams.",
            new PolicyApply(around),
            new PolicyLint(around),
            new PolicyList(around)));
    root.addSubcommand(
        group(
            "release",
            "The catalogue of releases.",
            new ReleaseAdd(around),
            new ReleaseList(around)));
    root.addSubcommand(
        group(
            "rollout",
            "Submissions: these hosts to that release.",
            new RolloutPlanCommand(around),
            new RolloutStart(around),
            new RolloutList(around),
            new RolloutGet(around),
            new RolloutWatch(around),
            new RolloutPause(around),
            new RolloutResume(around),
            new RolloutAbort(around),
            new RolloutFollowUp.Retry(around),
            new RolloutFollowUp.Revert(around),
            new RolloutHosts.Add(around),
            new RolloutHosts.Remove(around),
            new RolloutReportGet(around)));
    root.addSubcommand(
        group(
            "decision",
            "What waits for an answer of people.",
            new DecisionList(around),
            new DecisionShow(around),
            new DecisionAnswer(around)));
    CommandLine host =
        group(
            "host",
            "Hosts and their instances.",
            new HostList(around),
            new HostGet(around),
            new HostWhy(around),
            new HostReturn(around),
            new HostQuarantine(around),
            new HostWriteOff(around));
    host.addSubcommand(
        group(
            "maintenance",
            "Work on one host by hand.",
            new MaintenanceStart(around),
            new MaintenanceEnd(around)));
    root.addSubcommand(host);
    root.addSubcommand(
        group(
            "lock",
            "Tickets and locks.",
            new LockList(around),
            new LockHistoryList(around),
            new LockGet(around),
            new LockWatch(around),
            new LockTry(around),
            new LockAcquire(around),
            new LockRun(around, behindDashes),
            new LockRenew(around),
            new LockRelease(around),
            new LockBreak(around)));
    root.addSubcommand(
        group("audit", "Whether Drydock kept its promises.", new AuditVerify(around)));
    root.addSubcommand(
        group(
            "subscription",
            "What a team is told of its applications' hosts.",
            new SubscriptionCreate(around),
            new SubscriptionList(around),
            new SubscriptionGet(around),
            new SubscriptionDelete(around),
            new SubscriptionReplay(around),
            new SubscriptionWatch(around),
            new SubscriptionDeliver(around)));
    root.addSubcommand(
        group(
            "recovery",
            "What happens after a store was restored from a backup.",
            new RecoveryStatus(around)));
    CommandLine freeze = command(new FleetFreeze(around));
    freeze.addSubcommand(command(new FreezeStatus(around)));
    root.addSubcommand(freeze);
    root.addSubcommand(command(new FleetUnfreeze(around)));
    root.addSubcommand(command(new Whoami(around)));
    return root;
  }

  /** What follows {@code --} is somebody else's command line: no option of ours is looked for. */
  private static String[] beforeDashes(String... arguments) {
    return Arrays.copyOf(arguments, arguments.length - behindDashes(arguments).size());
  }

  private static List<String> behindDashes(String... arguments) {
    List<String> all = List.of(arguments);
    int dashes = all.indexOf("--");
    boolean run = all.size() > 2 && all.get(0).equals("lock") && all.get(1).equals("run");
    return run && dashes >= 0 ? all.subList(dashes + 1, all.size()) : List.of();
  }

  private static CommandLine group(String name, String description, Callable<?>... commands) {
    CommandSpec spec = CommandSpec.create().name(name).mixinStandardHelpOptions(true);
    spec.version(VERSION);
    spec.usageMessage().description(description);
    CommandLine group = new CommandLine(spec);
    for (Callable<?> command : commands) {
      group.addSubcommand(command(command));
    }
    return group;
  }

  private static CommandLine command(Callable<?> command) {
    CommandLine line = new CommandLine(command);
    line.getCommandSpec().version(VERSION);
    return line;
  }

  private static int explainUsage(ParameterException e) {
    CommandLine line = e.getCommandLine();
    line.getErr().println("drydock: " + e.getMessage());
    CommandLine.UnmatchedArgumentException.printSuggestions(e, line.getErr());
    line.getErr().println("Try: " + line.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.USAGE;
  }

  private static int explain(CliEnvironment around, Exception e) {
    CommandFailure commandFailure =
        switch (e) {
          case CommandFailure known -> known;
          case CallException refused -> CommandFailure.of(refused);
          default ->
              new CommandFailure(
                  ExitCode.FAILED,
                  List.of(),
                  "internal error: " + e + " (DRYDOCK_DEBUG=1 shows where)");
        };
    commandFailure.lines().forEach(around.err()::println);
    if (around.variable("DRYDOCK_DEBUG").equals("1")) {
      e.printStackTrace(around.err());
    }
    return commandFailure.exitCode();
  }
}
