package dev.drydock.orchestrator.events;

/**
 * One reader's way along the feed. It is asked for more when the reader can take it, and keeps
 * nothing meanwhile but a number. Safe for use by many threads.
 */
public final class FeedReader implements AutoCloseable {
  private final FeedTail feedTail;
  private final FeedFilter filter;
  private long position;

  FeedReader(FeedTail feedTail, FeedFilter filter, long position) {
    this.feedTail = feedTail;
    this.filter = filter;
    this.position = position;
  }

  FeedFilter filter() {
    return filter;
  }

  /**
   * The next events, at most {@code count}. If there are none now, {@code ready} is called once as
   * soon as there may be, by a thread that must not be kept; only the newest such wish counts.
   *
   * @throws dev.drydock.platform.http.ApiException 410 if the reader was so slow that what comes
   *     next is not kept any more
   */
  public synchronized FeedPage next(int count, Runnable ready) {
    FeedPage feedPage = feedTail.read(position, filter, count);
    if (feedPage.events().isEmpty()) {
      position = feedPage.position();
      feedTail.await(this, ready);
      // What came between the look and the wish has woken nobody.
      feedPage = feedTail.read(position, filter, count);
    }
    if (!feedPage.events().isEmpty()) {
      feedTail.forget(this);
    }
    position = feedPage.position();
    return feedPage;
  }

  @Override
  public void close() {
    feedTail.forget(this);
  }
}
