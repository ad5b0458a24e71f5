package dev.drydock.platform.store;

/**
 * Which part of an ordered list to read.
 *
 * @param start how many entries to leave out first
 * @param count how many to read at most
 */
public record PageRequest(int start, int count) {
  public PageRequest {
    if (start < 0 || count < 0) {
      throw new IllegalArgumentException("no list has a part from " + start + " of " + count);
    }
  }
}
