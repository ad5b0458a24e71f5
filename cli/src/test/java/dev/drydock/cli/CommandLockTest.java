package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of the begin of the work and the end of the lock one comes first, and whole. */
final class CommandLockTest {
  @TempDir Path home;
  private final FakeServer server = FakeServer.open();
  private DrydockClient client;
  private CommandLock commandLock;

  @BeforeEach
  void start() throws Exception {
    server
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, LockRunTest.lock("Held", ",\"token\":77"))
        .on("DELETE locks/t1", 204, "");
    Path token = Files.writeString(home.resolve("token"), "t0ken");
    client =
        new DrydockClient(
            ClientConfig.of(URI.create(server.url()), token).withRetryBudget(Duration.ZERO));
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    commandLock =
        new CommandLock(
            new CliEnvironment(Map.of(), home, nowhere, nowhere, false),
            client,
            new TicketRequest()
                .setHosts(WireCollections.strings(List.of("h01")))
                .setReason("test"));
    commandLock.await(Duration.ofSeconds(20));
  }

  @AfterEach
  void stop() {
    commandLock.close();
    client.close();
    server.close();
  }

  private static GuardedCommand sleeping() {
    return new GuardedCommand(
        List.of("/bin/sleep", "300"), Map.of(), Duration.ofSeconds(2), Duration.ofMinutes(5));
  }

  @Test
  void nothingBeginsOnceItIsGivenBack() {
    commandLock.close();
    AtomicBoolean began = new AtomicBoolean();
    assertThatThrownBy(
            () ->
                commandLock.begin(
                    () -> {
                      began.set(true);
                      return sleeping();
                    }))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("the hosts were given back");
    assertThat(began).isFalse();
    assertThatThrownBy(commandLock::leave).isInstanceOf(CommandFailure.class);
  }

  /** Told to end while the command begins: it waits, and finds what it has to end. */
  @Test
  void whatBeginsIsEndedBeforeTheLockIs() throws Exception {
    Thread told = Thread.ofPlatform().unstarted(commandLock::close);
    GuardedCommand begun =
        commandLock.begin(
            () -> {
              told.start();
              OtherProcess.until(
                  "it is told to end", () -> told.getState() == Thread.State.BLOCKED);
              assertThat(server.calls()).doesNotContain("DELETE locks/t1");
              return sleeping();
            });
    told.join();
    assertThat(begun.await()).as("ended by TERM").isNotZero();
    assertThat(server.calls()).endsWith("DELETE locks/t1");
  }

  @Test
  void whatWasLeftToSomebodyIsNotGivenBack() {
    commandLock.leave();
    commandLock.close();
    assertThat(server.calls()).doesNotContain("DELETE locks/t1");
  }
}
