package dev.drydock.lock.soak;

import dev.drydock.lock.etcd.TicketDesk;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The clients of one process, a thread each. They stop together when the process is stopped. */
final class Clients {
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean draining;

  Clients(Settings settings, TicketDesk desk, InstantSource clock, History history) {
    Random seeds = new Random(settings.number("seed"));
    for (int i = 0; i < settings.number("clients"); i++) {
      String name = settings.process() + "-" + i;
      Random random = new Random(seeds.nextLong());
      Register register = new Register(settings.path("register"));
      Errand.Tools tools =
          new Errand.Tools(name, settings, desk, clock, history, register, random, () -> draining);
      threads.add(Thread.ofPlatform().name(name).unstarted(() -> run(tools)));
    }
  }

  /** One errand after the other. */
  private static void run(Errand.Tools tools) {
    for (int number = 1; !tools.draining().getAsBoolean(); number++) {
      new Errand(tools, number).run();
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** No new tickets from now on. */
  void drain() {
    draining = true;
  }

  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
