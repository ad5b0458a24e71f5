package dev.drydock.adapter.staticlist;

import dev.drydock.proto.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** The running lab of this checkout, as its files describe it. */
record RunningLab(Allocation allocation, URI frontEnd) {
  /** Looks upward for the lab's files, and takes the front-end of the application "web". */
  static RunningLab find() throws IOException, AllocationFile.Faulty {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve(".drydock/lab/static.json"))) {
      folder = Objects.requireNonNull(folder.getParent(), "no lab here: start it first");
    }
    Path state = folder.resolve(".drydock");
    Map<String, Object> ports =
        Objects.requireNonNull(
            (Map<String, Object>)
                Json.readTree(Files.readString(state.resolve("instance.json"))).get("ports"));
    return new RunningLab(
        AllocationFile.read(state.resolve("lab/static.json")),
        URI.create("http://127.0.0.1:" + ports.get("balancer")));
  }
}
