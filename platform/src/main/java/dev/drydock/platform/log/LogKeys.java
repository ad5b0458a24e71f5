package dev.drydock.platform.log;

/** Keys under which the objects a line is about stand in the logging context (MDC). */
public final class LogKeys {
  public static final String ROLLOUT = "rollout";
  public static final String HOST = "host";
  public static final String BATCH = "batch";
  public static final String ATTEMPT = "attempt";

  private LogKeys() {}
}
