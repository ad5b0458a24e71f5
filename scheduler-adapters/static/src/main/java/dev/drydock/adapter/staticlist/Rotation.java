package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who gets traffic. It cannot compare tokens: read it first, change it only with a live lease, and
 * read it again. Every call ends within {@link Lease#MARGIN}. Thread-safe.
 */
interface Rotation {
  /**
   * An instance in the rotation.
   *
   * @param serving whether it gets new requests
   * @param open requests that are on it or wait for it
   */
  record Place(boolean serving, int open) {}

  /** The whole rotation as it is now. */
  Snapshot read() throws IOException;

  /**
   * What administrators let in, by application and host as in {@link Snapshot#key}: also what does
   * not run now, and gets requests as soon as it does.
   */
  Set<String> admitted() throws IOException;

  /**
   * No new requests; those that run go on. The lease is asked as late as possible, when only the
   * request itself is left to be sent.
   */
  void drain(FixedInstance instance, Lease lease) throws IOException;

  /** The lease is asked as in {@link #drain}. */
  void ready(FixedInstance instance, Lease lease) throws IOException;

  /** The rotation at one moment, by application and host. */
  record Snapshot(Map<String, Place> places) {
    static String key(String application, String host) {
      return application + "/" + host;
    }

    /** Empty when the rotation does not know the instance: then it serves nobody. */
    Optional<Place> of(FixedInstance instance) {
      return Optional.ofNullable(places.get(key(instance.application(), instance.host())));
    }

    boolean serves(FixedInstance instance) {
      return of(instance).map(Place::serving).orElse(false);
    }

    int open(FixedInstance instance) {
      return of(instance).map(Place::open).orElse(0);
    }
  }
}
