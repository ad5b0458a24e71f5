package dev.drydock.cli.webhook;

/** Where bodies go. Safe for use by many threads. */
public interface Receiver extends AutoCloseable {

  /** What became of one sending. */
  sealed interface Outcome {
    /** The receiver has it. */
    record Taken() implements Outcome {}

    /** It will never take this message. */
    record Refused(String why) implements Outcome {}

    /** Nobody knows whether it has it, or it may take it later. */
    record Unclear(String why) implements Outcome {}
  }

  /**
   * Hands it over once.
   *
   * @param id the same however often it is sent
   */
  Outcome post(String id, String body) throws InterruptedException;

  @Override
  void close();
}
