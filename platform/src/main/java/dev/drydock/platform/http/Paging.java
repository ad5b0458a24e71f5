package dev.drydock.platform.http;

import com.linkedin.data.template.RecordTemplate;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import java.util.List;
import java.util.function.Function;

/**
 * Pages of lists by {@code start} and {@code count}, with the total and, made by Rest.li, the links
 * to the pages before and after. More than the maximum is refused and not cut: whoever got less
 * than asked for would take it for the end.
 */
public final class Paging {
  /** Of a list of records of moderate size. */
  public static final int COUNT_MAX = 1_000;

  /**
   * Of what there is once per host: a page can show the whole of the largest fleet this is built
   * for, in some 10 MB if nobody says which fields.
   */
  public static final int HOSTS_MAX = 10_000;

  private Paging() {}

  /**
   * The page a call asked for.
   *
   * @throws ApiException 400 if it asked for more than {@code max}
   */
  public static <R extends RecordTemplate> CollectionResult<R, NoMetadata> answer(
      PagingContext asked, int max, Function<PageRequest, Page<R>> pages) {
    if (asked.getCount() > max) {
      throw new ApiException(
          HttpStatus.BAD_REQUEST,
          "COUNT_TOO_LARGE",
          "count is "
              + asked.getCount()
              + ", must be at most "
              + max
              + ": ask for the rest by start.",
          List.of());
    }
    Page<R> page = pages.apply(new PageRequest(asked.getStart(), asked.getCount()));
    return new CollectionResult<>(page.elements(), page.total());
  }
}
