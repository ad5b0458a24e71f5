package dev.drydock.cli;

import dev.drydock.api.PolicyDocument;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stores policies as their next versions: all are checked before the first is stored. */
@Command(
    name = "apply",
    description = "Store policies as their next versions.",
    mixinStandardHelpOptions = true)
final class PolicyApply implements Callable<Integer> {
  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;
  @Mixin final PolicyFiles files = new PolicyFiles();

  PolicyApply(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    List<TextFile> texts = files.texts("nothing was applied");
    try (DrydockClient client = connection.open()) {
      List<String> faults = PolicyLint.faults(around, client, texts);
      if (!faults.isEmpty()) {
        throw CommandFailure.input(faults, "nothing was applied");
      }
      List<PolicyDocument> applied = new ArrayList<>();
      for (TextFile text : texts) {
        applied.add(client.policy(apply(client, text, applied)));
      }
      output.list(applied, TableViews.POLICIES, WireCollections::tree);
      return ExitCode.OK;
    }
  }

  private static String apply(DrydockClient client, TextFile text, List<PolicyDocument> before) {
    try {
      return client.applyPolicy(text.content());
    } catch (CallException e) {
      CommandFailure refused = CommandFailure.of(e, text::place);
      List<String> faults = new ArrayList<>(refused.lines().subList(0, refused.lines().size() - 1));
      String stored = before.stream().map(PolicyDocument::getName).toList().toString();
      throw new CommandFailure(
          refused.exitCode(),
          faults,
          text.name()
              + ": "
              + refused.getMessage()
              + (before.isEmpty() ? "" : "; stored before it: " + stored));
    }
  }
}
