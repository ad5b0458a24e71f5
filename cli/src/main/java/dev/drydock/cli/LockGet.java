package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "get", description = "One lock or ticket.", mixinStandardHelpOptions = true)
final class LockGet implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "ID", description = "The lock or ticket.")
  String id = "";

  LockGet(Surroundings around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open()) {
      Lock lock = client.lock(id);
      output.one(lock, Views.LOCKS, Values::tree);
      if (!lock.getExplanation().isEmpty()) {
        output.say(lock.getExplanation());
      }
      return ExitCode.OK;
    }
  }
}
