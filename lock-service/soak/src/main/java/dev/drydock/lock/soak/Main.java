package dev.drydock.lock.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * One process of a soak: {@code server} or {@code soakClients}, then its settings. Lines on
 * standard input: {@code clock SECONDS} sets a server's wall clock ahead; {@code freeze REASON} and
 * {@code unfreeze} let clients pull and lift the fleet brake, {@code drain} ends them once each has
 * released what it waits for. The end of standard input ends the process at once, so that none
 * outlives its harness.
 */
public final class Main {
  private final SoakSettings soakSettings;

  private Main(SoakSettings soakSettings) {
    this.soakSettings = soakSettings;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      throw new IllegalArgumentException("say which process: server or clients");
    }
    Main main = new Main(SoakSettings.of(Arrays.asList(arguments).subList(1, arguments.length)));
    switch (arguments[0]) {
      case "server" -> main.server();
      case "clients" -> main.clients();
      default -> throw new IllegalArgumentException("there is no process '" + arguments[0] + "'");
    }
  }

  private void server() throws IOException {
    JumpingClock clock = new JumpingClock();
    try (SoakHistory soakHistory = new SoakHistory(soakSettings.path("history"))) {
      RefusalLog.listen(soakSettings.process(), soakHistory);
      try (Server server = Server.open(soakSettings, clock)) {
        obey(
            line -> {
              if (!line.startsWith("clock ")) {
                return false;
              }
              String seconds = line.substring("clock ".length());
              clock.setAhead(Duration.ofSeconds(Long.parseLong(seconds)));
              return true;
            });
      }
    }
  }

  private void clients() throws IOException, InterruptedException {
    try (SoakHistory soakHistory = new SoakHistory(soakSettings.path("history"));
        HttpClient http = SoakClients.http()) {
      SoakClients soakClients = new SoakClients(soakSettings, http, soakHistory);
      soakClients.start();
      FleetFreezer fleetFreezer =
          new FleetFreezer(
              soakSettings.process(), SoakClients.calls(soakSettings, http, 0), soakHistory);
      Thread.ofPlatform()
          .daemon()
          .start(() -> obey(line -> obeyed(line, soakClients, fleetFreezer)));
      soakClients.join();
    }
  }

  private static boolean obeyed(String line, SoakClients soakClients, FleetFreezer fleetFreezer) {
    if (line.equals("drain")) {
      soakClients.drain();
    } else if (line.startsWith("freeze ")) {
      fleetFreezer.freeze(line.substring("freeze ".length()));
    } else if (line.equals("unfreeze")) {
      fleetFreezer.unfreeze();
    } else {
      return false;
    }
    return true;
  }

  /** What a process does on a line of standard input. */
  private interface Commands {
    /** False for no command of its. */
    boolean obey(String line);
  }

  /** Until standard input ends, and the process with it. */
  private static void obey(Commands commands) {
    try {
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!commands.obey(line)) {
          throw new IllegalArgumentException("'" + line + "' is no command");
        }
      }
    } catch (IOException unreadable) {
      System.err.println("standard input cannot be read: " + unreadable);
    }
    Runtime.getRuntime().halt(1);
  }
}
