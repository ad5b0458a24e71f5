package dev.drydock.lock.core;

/**
 * Who an id of a ticket or session lock lives by. Most have an alive key of their own; those of one
 * program that holds many locks share the key of its session, which their ids name.
 */
public final class SessionIds {
  /** No id chosen by a client over the network contains it. */
  public static final char SEPARATOR = '~';

  private SessionIds() {}

  /** The id of the {@code number}th ticket of a session. */
  public static String ticket(String session, long number) {
    return session + SEPARATOR + number;
  }

  /** Whether {@code id} lives by the alive key of a session. */
  public static boolean shared(String id) {
    return id.indexOf(SEPARATOR) >= 0;
  }

  /** The id under which {@code id} is alive. */
  public static String aliveId(String id) {
    int end = id.indexOf(SEPARATOR);
    return end < 0 ? id : id.substring(0, end);
  }
}
