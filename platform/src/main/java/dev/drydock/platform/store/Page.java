package dev.drydock.platform.store;

import java.util.List;
import java.util.function.Function;

/**
 * A part of an ordered list.
 *
 * @param total how many entries the whole list had at the same moment
 */
public record Page<T>(List<T> elements, int total) {
  public Page {
    elements = List.copyOf(elements);
  }

  /** A part of a list that is in memory. */
  public static <T> Page<T> of(List<T> all, PageRequest pageRequest) {
    return new Page<>(
        all.stream().skip(pageRequest.start()).limit(pageRequest.count()).toList(), all.size());
  }

  public <U> Page<U> map(Function<? super T, ? extends U> change) {
    return new Page<>(elements.stream().<U>map(change).toList(), total);
  }
}
