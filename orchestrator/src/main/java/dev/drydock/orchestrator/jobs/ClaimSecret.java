package dev.drydock.orchestrator.jobs;

import java.security.SecureRandom;
import java.util.HexFormat;

/** What only the consumer of a claim knows, and sends with everything about it. */
public final class ClaimSecret {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 16;

  private ClaimSecret() {}

  /** A new one. Safe for use by many threads. */
  public static String next() {
    byte[] secret = new byte[BYTES];
    RANDOM.nextBytes(secret);
    return HexFormat.of().formatHex(secret);
  }
}
