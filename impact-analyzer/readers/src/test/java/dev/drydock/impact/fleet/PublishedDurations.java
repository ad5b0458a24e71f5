package dev.drydock.impact.fleet;

import java.util.Arrays;

/**
 * The durations by which published fleets are compared: lognormal(-0.125, 0.5), so one on average,
 * drawn one per host in index order as {@code random.Random(1).lognormvariate(-0.125, 0.5)} of
 * Python draws them. The best schedules known are for exactly these.
 */
public final class PublishedDurations {
  private static final int N = 624;
  private static final int M = 397;
  private static final double NORMAL_MAGIC = 4 * Math.exp(-0.5) / Math.sqrt(2.0);

  private final int[] state = new int[N];
  private int at = N;

  private PublishedDurations(int seed) {
    seed(19650218);
    int i = 1;
    for (int k = N; k > 0; k--) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1664525)) + seed;
      i = wrapped(i + 1);
    }
    for (int k = N - 1; k > 0; k--) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1566083941)) - i;
      i = wrapped(i + 1);
    }
    state[0] = 0x80000000;
  }

  /** For so many hosts, in milliseconds; {@code mean} stands for one. */
  public static long[] millis(int hosts, long mean) {
    PublishedDurations draws = new PublishedDurations(1);
    long[] millis = new long[hosts];
    Arrays.setAll(millis, _ -> Math.round(mean * Math.exp(-0.125 + 0.5 * draws.normal())));
    return millis;
  }

  private void seed(int seed) {
    state[0] = seed;
    for (int i = 1; i < N; i++) {
      state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    }
  }

  private int wrapped(int i) {
    if (i < N) {
      return i;
    }
    state[0] = state[N - 1];
    return 1;
  }

  private double normal() {
    while (true) {
      double u1 = uniform();
      double u2 = 1.0 - uniform();
      double z = NORMAL_MAGIC * (u1 - 0.5) / u2;
      if (z * z / 4.0 <= -Math.log(u2)) {
        return z;
      }
    }
  }

  private double uniform() {
    long a = Integer.toUnsignedLong(next()) >>> 5;
    long b = Integer.toUnsignedLong(next()) >>> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
  }

  private int next() {
    if (at == N) {
      for (int k = 0; k < N; k++) {
        int y = (state[k] & 0x80000000) | (state[(k + 1) % N] & 0x7fffffff);
        state[k] = state[(k + M) % N] ^ (y >>> 1) ^ ((y & 1) * 0x9908b0df);
      }
      at = 0;
    }
    int y = state[at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >>> 18);
  }
}
