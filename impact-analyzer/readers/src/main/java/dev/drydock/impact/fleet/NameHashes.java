package dev.drydock.impact.fleet;

/**
 * The hashes of names seen, at a tenth of the memory of the names: equal ones are to be checked.
 */
final class NameHashes {
  private static final long PRIME = 0x100000001b3L;

  private long[] slots = new long[1 << 12];
  private int size;

  /** False if a name with the same hash is there already. */
  boolean add(String name) {
    if (size * 2 > slots.length) {
      long[] before = slots;
      slots = new long[2 * before.length];
      for (long hash : before) {
        if (hash != 0) {
          slots[slot(hash)] = hash;
        }
      }
    }
    long hash = hash(name);
    int slot = slot(hash);
    if (slots[slot] == hash) {
      return false;
    }
    slots[slot] = hash;
    size++;
    return true;
  }

  private static long hash(String name) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * PRIME;
    }
    hash ^= hash >>> 32;
    return hash == 0 ? 1 : hash;
  }

  private int slot(long hash) {
    int mask = slots.length - 1;
    int slot = (int) (hash * 0x9e3779b97f4a7c15L >>> 40) & mask;
    while (slots[slot] != 0 && slots[slot] != hash) {
      slot = slot + 1 & mask;
    }
    return slot;
  }
}
