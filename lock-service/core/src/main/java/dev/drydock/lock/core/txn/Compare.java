package dev.drydock.lock.core.txn;

/** What has to be true of a key for a transaction to take effect. */
public sealed interface Compare {
  Key<?> key();

  /** Created at this very revision; 0 means that it does not exist. */
  record Created(Key<?> key, long revision) implements Compare {}

  /** Last put at this very revision; 0 means that it does not exist. */
  record Modified(Key<?> key, long revision) implements Compare {}

  /** It exists. */
  record Present(Key<?> key) implements Compare {}
}
