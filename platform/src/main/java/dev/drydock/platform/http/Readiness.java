package dev.drydock.platform.http;

import java.util.List;

/**
 * Says whether this process can do its work. Asked often; must answer at once from what is already
 * known.
 */
@FunctionalInterface
public interface Readiness {
  /** One sentence per thing that is missing; empty when ready. */
  List<String> missing();

  /** Always ready. */
  static Readiness always() {
    return List::of;
  }
}
