package dev.drydock.cli;

import dev.drydock.api.Release;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Json;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "add",
    description = "Add a release to the catalogue.",
    mixinStandardHelpOptions = true)
final class ReleaseAdd implements Callable<Integer> {
  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(
      paramLabel = "FILE",
      description =
          "The release in JSON: name, channel, packages, kernel; for dnf hosts dnfChannel, dnfPackages,"
              + " and dnfKernel where it differs; for re-images images by family, and imageVersion; and health by hardware class.")
  Path file = Path.of("");

  ReleaseAdd(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    TextFile text = TextFile.readAll(List.of(file), "nothing was added").getFirst();
    Release release = parse(text);
    try (DrydockClient client = connection.open()) {
      output.one(add(client, release), TableViews.RELEASES, WireCollections::tree);
      return ExitCode.OK;
    } catch (CallException e) {
      throw CommandFailure.of(e, text::place);
    }
  }

  /** Adding what is there already, word for word, is no conflict. */
  private static Release add(DrydockClient client, Release release) {
    try {
      return client.release(client.addRelease(release));
    } catch (CallException e) {
      if (e.status() != 409) {
        throw e;
      }
      Release present = client.release(release.getName());
      if (present.getChannel().equals(release.getChannel())
          && present.getPackages().equals(release.getPackages())
          && present.getKernel().equals(release.getKernel())
          && Objects.equals(present.getDnfChannel(), release.getDnfChannel())
          && present.getDnfPackages().equals(release.getDnfPackages())
          && Objects.equals(present.getDnfKernel(), release.getDnfKernel())
          && present.getImages().equals(release.getImages())
          && Objects.equals(present.getImageVersion(), release.getImageVersion())) {
        return present;
      }
      throw e;
    }
  }

  private static Release parse(TextFile text) {
    try {
      return Json.readStrict(text.content(), Release.class);
    } catch (InvalidRecordException e) {
      List<String> faults =
          e.details().isEmpty()
              ? List.of(text.file() + ": " + e.getMessage())
              : e.details().stream()
                  .map(fault -> text.place(fault) + ": " + fault.getMessage())
                  .toList();
      throw CommandFailure.input(faults, "nothing was added");
    }
  }
}
