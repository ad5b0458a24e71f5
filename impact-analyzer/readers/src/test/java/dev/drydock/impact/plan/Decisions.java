package dev.drydock.impact.plan;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * What each decision after a release took, in the course of one rollout; both lists are sorted.
 *
 * @param millis of CPU, the reading of the clock included; they tell of the machine and its caches
 * @param checks how many units were asked whether they fit: the same on every machine
 */
record Decisions(double[] millis, long[] checks) {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  static Decisions of(OrderSimulation orderSimulation, int[] order, int reserving) {
    orderSimulation.begin(order, reserving, Long.MAX_VALUE - 1);
    double[] millis = new double[order.length];
    long[] checks = new long[order.length];
    int size = 0;
    while (!orderSimulation.isOver()) {
      long checksBefore = orderSimulation.checks();
      long before = THREADS.getCurrentThreadCpuTime();
      orderSimulation.advance();
      millis[size] = (THREADS.getCurrentThreadCpuTime() - before) / 1e6;
      checks[size++] = orderSimulation.checks() - checksBefore;
    }
    Decisions decisions = new Decisions(Arrays.copyOf(millis, size), Arrays.copyOf(checks, size));
    Arrays.sort(decisions.millis);
    Arrays.sort(decisions.checks);
    return decisions;
  }

  double millis(int percent) {
    return millis[(millis.length - 1) * percent / 100];
  }

  long checks(int percent) {
    return checks[(checks.length - 1) * percent / 100];
  }
}
