package dev.drydock.lock.explorer;

/** Numbers in few characters of eight bits: most are small. No number begins with a mark. */
final class CompactText {
  /** Above every first character of a number. */
  static final char END = '\u00ff';

  private final StringBuilder text = new StringBuilder(96);

  /** Adds one from 0 to 245,759. */
  void add(int number) {
    if (number >= 0xf0) {
      text.append((char) (0xf0 + (number >> 14)));
      text.append((char) (number >> 7 & 0x7f)).append((char) (number & 0x7f));
    } else {
      text.append((char) number);
    }
  }

  /** Adds what came out of another. */
  void add(String other) {
    text.append(other);
  }

  /** Ends a list of which nobody said how long it is. */
  void end() {
    text.append(END);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
