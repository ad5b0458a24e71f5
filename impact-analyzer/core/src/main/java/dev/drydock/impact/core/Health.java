package dev.drydock.impact.core;

/** What the latest observation says about an instance; anything but {@link #HEALTHY} is not up. */
public enum Health {
  HEALTHY,
  UNHEALTHY,
  /** The reporter could not tell. */
  UNKNOWN
}
