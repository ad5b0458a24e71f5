package dev.drydock.lock.soak;

import dev.drydock.lock.etcd.EtcdLocks;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * The clients of one process, a thread each: the first of them share a lock client, the next ones
 * poll for holds, the others go to the desk. They stop together when the process is stopped.
 */
final class Clients {
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean draining;

  Clients(Settings settings, EtcdLocks locks, InstantSource clock, History history) {
    Random seeds = new Random(settings.number("seed"));
    Session session = new Session(locks, Duration.ofSeconds(settings.number("leaseSeconds")));
    for (int i = 0; i < settings.number("clients"); i++) {
      String name = settings.process() + "-" + i;
      Random random = new Random(seeds.nextLong());
      Register register = new Register(settings.path("register"), name);
      Tools tools =
          new Tools(
              name,
              settings,
              locks.desk(),
              locks.polled(),
              clock,
              history,
              register,
              random,
              () -> draining);
      IntFunction<Runnable> errands = errands(i, tools, session);
      threads.add(Thread.ofPlatform().name(name).unstarted(() -> run(errands, tools)));
    }
  }

  private static IntFunction<Runnable> errands(int client, Tools tools, Session session) {
    int sharing = tools.settings().number("sharing");
    if (client < sharing) {
      return number -> new SessionErrand(tools, session, number);
    }
    return client < sharing + tools.settings().number("polling")
        ? number -> new PolledErrand(tools, number)
        : number -> new Errand(tools, number);
  }

  /** One errand after the other. What a client does not expect ends it, and is told. */
  private void run(IntFunction<Runnable> errands, Tools tools) {
    try {
      for (int number = 1; !draining; number++) {
        errands.apply(number).run();
      }
    } catch (RuntimeException | Error unexpected) {
      Map<String, Object> why = Map.of("reason", String.valueOf(unexpected));
      tools.history().tell(tools.name(), "broken", tools.name(), why);
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
}
