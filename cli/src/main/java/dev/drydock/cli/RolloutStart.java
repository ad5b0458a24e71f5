package dev.drydock.cli;

import dev.drydock.api.RolloutRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.Values;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Submits hosts for a release. The file is checked before anything is sent. */
@Command(name = "start", description = "Bring hosts to a release.", mixinStandardHelpOptions = true)
final class RolloutStart implements Callable<Integer> {
  private final Surroundings around;

  @Mixin final Connection connection;
  @Mixin final Output output;
  @Mixin final Patience patience = new Patience();

  @Option(
      names = "--hosts",
      required = true,
      paramLabel = "FILE",
      description = "One host per line; # starts a comment.")
  Path hosts = Path.of("");

  @Option(
      names = "--release",
      required = true,
      paramLabel = "NAME",
      description = "A release of the catalogue.")
  String release = "";

  @Option(
      names = "--reason",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Why, for the audit trail.")
  String reason = "";

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "The same id again answers the rollout of the first time.")
  @Nullable String requestId;

  @Option(names = "--watch", description = "Stay until it has ended.")
  boolean watch;

  RolloutStart(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    HostsFile file = HostsFile.read(hosts);
    String id = start(file);
    around
        .err()
        .println(
            "drydock: rollout "
                + id
                + " brings "
                + Texts.hosts(file.hosts().size())
                + " to release "
                + release);
    if (watch) {
      return RolloutWatch.watch(around, connection, output, patience, id);
    }
    try (DrydockClient client = connection.open()) {
      output.one(client.rollout(id), Views.ROLLOUTS, Values::tree);
      return ExitCode.OK;
    }
  }

  private String start(HostsFile file) {
    RolloutRequest request =
        new RolloutRequest()
            .setRelease(release)
            .setHosts(Values.strings(file.hosts()))
            .setReason(reason)
            .setRequestId(requestId == null ? UUID.randomUUID().toString() : requestId);
    try (DrydockClient client = connection.open()) {
      return client.startRollout(request);
    } catch (CallException e) {
      Failure failure = Failure.of(e, file::place);
      throw e.status() == 0
          ? failure.but(
              "it may have started; --request-id "
                  + request.getRequestId()
                  + " answers the same one")
          : failure;
    }
  }
}
