package dev.drydock.platform.http;

import com.linkedin.common.callback.Callback;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Answers a call once what it waits for is there; no thread is kept meanwhile. */
public final class DeferredResponse {
  private DeferredResponse() {}

  /**
   * Answers with what comes, or fails as it fails.
   *
   * @param words makes the answer of what came
   */
  public static <T, R> void answer(
      CompletableFuture<T> awaited, Function<T, R> words, Callback<R> callback) {
    var _ =
        awaited
            .thenApply(words)
            .whenComplete(
                (answer, failed) -> {
                  if (failed == null) {
                    callback.onSuccess(answer);
                  } else {
                    callback.onError(
                        failed instanceof CompletionException wrapped && wrapped.getCause() != null
                            ? wrapped.getCause()
                            : failed);
                  }
                });
  }
}
