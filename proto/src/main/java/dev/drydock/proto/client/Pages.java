package dev.drydock.proto.client;

import com.linkedin.data.template.RecordTemplate;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * All entries of a collection or finder, one page after the other as they are needed. It ends where
 * the server says that the list does, never because a page came short. Not thread-safe.
 *
 * <p>Of a list that grows or is reordered meanwhile an entry may come twice.
 */
final class Pages<T extends RecordTemplate> implements Iterator<T> {
  /** The least that every collection of the server grants. */
  private static final int COUNT = 1_000;

  private final Function<String, ServerResponse> get;
  private final String path;
  private final Class<T> type;
  private Iterator<T> page = List.<T>of().iterator();
  private int start;
  private boolean ended;

  /**
   * Before the first entry; asks nothing yet.
   *
   * @param path ends with {@code ?} or {@code &}
   */
  Pages(Function<String, ServerResponse> get, String path, Class<T> type) {
    this.get = get;
    this.path = path;
    this.type = type;
  }

  @Override
  public boolean hasNext() {
    while (!page.hasNext() && !ended) {
      ServerResponse serverResponse = get.apply(path + "start=" + start + "&count=" + COUNT);
      List<T> some = serverResponse.elements(type);
      start += some.size();
      ended = some.isEmpty() || start >= serverResponse.total();
      page = some.iterator();
    }
    return page.hasNext();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException(path + " has no more than " + start + " entries");
    }
    return page.next();
  }
}
