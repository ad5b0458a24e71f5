package dev.drydock.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Commands against a small server in this process, a new one for each test. */
abstract class AtServer {
  @TempDir Path home;
  final FakeServer server = FakeServer.open();

  @AfterEach
  final void closeServer() {
    server.close();
  }

  final Run run(String... arguments) throws IOException {
    return Run.against(server, home, arguments);
  }
}
