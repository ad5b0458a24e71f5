package dev.drydock.lock.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Clients that repeat one action each, as fast as it answers. */
final class Load {
  private Load() {}

  /** What one client repeats; {@code turn} counts its repetitions. */
  @FunctionalInterface
  interface Action {
    void run(int client, long turn) throws Exception;
  }

  /** Repetitions per second over all clients, and how long one took. */
  record Figures(int turns, double perSecond, double p50Millis, double p99Millis) {}

  /** Runs {@code clients} virtual threads for {@code time}; an action that fails ends the run. */
  static Figures run(int clients, Duration time, Action action) {
    long begin = System.nanoTime();
    long end = begin + time.toNanos();
    List<Callable<long[]>> loops = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      int client = i;
      loops.add(() -> repeat(client, end, action));
    }
    List<long[]> took = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<long[]> loop : threads.invokeAll(loops)) {
        took.add(loop.get());
      }
    } catch (InterruptedException | ExecutionException failed) {
      throw new IllegalStateException("a client failed", failed);
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    long[] all = took.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    return new Figures(all.length, all.length / seconds, millis(all, 0.50), millis(all, 0.99));
  }

  private static long[] repeat(int client, long end, Action action) throws Exception {
    long[] took = new long[1024];
    int turns = 0;
    for (long now = System.nanoTime(); now < end; turns++) {
      action.run(client, turns);
      long after = System.nanoTime();
      if (turns == took.length) {
        took = Arrays.copyOf(took, turns * 2);
      }
      took[turns] = after - now;
      now = after;
    }
    return Arrays.copyOf(took, turns);
  }

  private static double millis(long[] sorted, double quantile) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) (sorted.length * quantile)] / 1e6;
  }
}
