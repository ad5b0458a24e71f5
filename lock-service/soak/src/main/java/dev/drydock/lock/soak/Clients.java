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
final class Clients {
  private final List<Thread> threads = new ArrayList<>();
  private final Settings settings;
  private volatile boolean draining;

  Clients(Settings settings, HttpClient http, History history) {
    this.settings = settings;
    Random seeds = new Random(settings.number("seed"));
    for (int i = 0; i < settings.number("clients"); i++) {
      String name = settings.process() + "-" + i;
      Random random = new Random(seeds.nextLong());
      Register register = new Register(settings.path("register"), name);
      Tools tools =
          new Tools(
              name, settings, calls(settings, http, i), history, register, random, () -> draining);
      IntFunction<Runnable> errands = errands(i, tools);
      threads.add(Thread.ofPlatform().name(name).unstarted(() -> run(errands, tools)));
    }
  }

  /** The public API as the {@code number}th client of this process calls it. */
  static Calls calls(Settings settings, HttpClient http, int number) {
    int first = number % settings.servers().size();
    return new Calls(new Api(http, settings.servers(), settings.process(), first));
  }

  private IntFunction<Runnable> errands(int client, Tools tools) {
    if (client >= settings.number("polling")) {
      return number -> new Errand(tools, number);
    }
    List<String> own = own(client);
    return number -> new PolledErrand(tools, number, own);
  }

  /** The hosts that this FleetLock client speaks for, of those of all processes. */
  private List<String> own(int client) {
    List<String> hosts = settings.places().all();
    int of = settings.number("processes") * settings.number("polling");
    int mine = settings.number("number") * settings.number("polling") + client;
    return IntStream.range(0, hosts.size())
        .filter(host -> host % of == mine % of)
        .mapToObj(hosts::get)
        .toList();
  }

  /** One errand after the other. What a client does not expect ends it, and is told. */
  private void run(IntFunction<Runnable> errands, Tools tools) {
    try {
      for (int number = 1; !draining; number++) {
        errands.apply(number).run();
      }
    } catch (RuntimeException | Error unexpected) {
      Map<String, Object> why = Map.of("reason", String.valueOf(unexpected));
      tools.tell("broken", tools.name(), why);
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
