package dev.drydock.lock.soak;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The clients of one process, a thread each: the first of them ask for their hosts by FleetLock,
 * the others take tickets. They stop together when the process is stopped.
 */
final class SoakClients {
  private final List<Thread> threads = new ArrayList<>();
  private final SoakSettings soakSettings;
  private volatile boolean draining;

  SoakClients(SoakSettings soakSettings, HttpClient http, SoakHistory soakHistory) {
    this.soakSettings = soakSettings;
    Random seeds = new Random(soakSettings.number("seed"));
    for (int i = 0; i < soakSettings.number("clients"); i++) {
      String name = soakSettings.process() + "-" + i;
      Random random = new Random(seeds.nextLong());
      EffectRegister effectRegister = new EffectRegister(soakSettings.path("register"), name);
      ClientTools clientTools =
          new ClientTools(
              name,
              soakSettings,
              calls(soakSettings, http, i),
              soakHistory,
              effectRegister,
              random,
              () -> draining);
      IntFunction<Runnable> errands = errands(i, clientTools);
      threads.add(Thread.ofPlatform().name(name).unstarted(() -> run(errands, clientTools)));
    }
  }

  /** The public API as the {@code number}th client of this process calls it. */
  static Calls calls(SoakSettings soakSettings, HttpClient http, int number) {
    int first = number % soakSettings.servers().size();
    return new Calls(new Api(http, soakSettings.servers(), soakSettings.process(), first));
  }

  private IntFunction<Runnable> errands(int client, ClientTools clientTools) {
    if (client >= soakSettings.number("polling")) {
      return number -> new TicketTask(clientTools, number);
    }
    List<String> own = own(client);
    return number -> new PolledTask(clientTools, number, own);
  }

  /** The hosts that this FleetLock client speaks for, of those of all processes. */
  private List<String> own(int client) {
    List<String> hosts = soakSettings.places().all();
    int of = soakSettings.number("processes") * soakSettings.number("polling");
    int mine = soakSettings.number("number") * soakSettings.number("polling") + client;
    return IntStream.range(0, hosts.size())
        .filter(host -> host % of == mine % of)
        .mapToObj(hosts::get)
        .toList();
  }

  /** One errand after the other. What a client does not expect ends it, and is told. */
  private void run(IntFunction<Runnable> errands, ClientTools clientTools) {
    try {
      for (int number = 1; !draining; number++) {
        errands.apply(number).run();
      }
    } catch (RuntimeException | Error unexpected) {
      Map<String, Object> why = Map.of("reason", String.valueOf(unexpected));
      clientTools.tell("broken", clientTools.name(), why);
      throw unexpected;
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /**
   * No new tickets from now on, and nobody dies: what the faults left behind is to come to an end.
   */
  void drain() {
    draining = true;
  }

  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  static HttpClient http() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(Duration.ofSeconds(2))
        .build();
  }
}
