package dev.drydock.orchestrator.events.api;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.EventKind;
import dev.drydock.orchestrator.events.EventFeed;
import dev.drydock.orchestrator.events.FeedFilter;
import dev.drydock.platform.http.ApiException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads what a reader of the feed asks for, and finds all that is wrong with it. */
final class FeedQuery {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,400}");

  private final List<ErrorDetail> faults = new ArrayList<>();

  OptionalLong cursor(String field, Optional<String> sent) {
    if (sent.isEmpty()) {
      return OptionalLong.empty();
    }
    if (!NUMBER.matcher(sent.get()).matches()) {
      fault(field, "is not a cursor: give one back as it was received, 0, or none");
      return OptionalLong.empty();
    }
    return OptionalLong.of(Long.parseLong(sent.get()));
  }

  int number(String field, int sent, int least, int most) {
    if (sent < least || sent > most) {
      fault(field, "is " + sent + ", must be from " + least + " to " + most);
    }
    return sent;
  }

  Set<EventKind> kinds(String field, List<String> sent) {
    Set<EventKind> kinds = EnumSet.noneOf(EventKind.class);
    for (int i = 0; i < sent.size(); i++) {
      String name = sent.get(i);
      Optional<EventKind> kind =
          known().stream().filter(known -> known.name().equals(name)).findFirst();
      kind.ifPresent(kinds::add);
      if (kind.isEmpty()) {
        fault(
            field + "[" + i + "]",
            "is no kind of event; there are "
                + known().stream().map(EventKind::name).collect(Collectors.joining(", ")));
      }
    }
    return kinds;
  }

  private static Set<EventKind> known() {
    return EnumSet.complementOf(EnumSet.of(EventKind.$UNKNOWN));
  }

  void fault(String field, String message) {
    faults.add(ApiException.detail(field, message));
  }

  /**
   * The filter, if nothing was wrong.
   *
   * @throws ApiException 422 with all faults, or 404 for a rollout or host that never was
   */
  FeedFilter filter(
      EventFeed feed, Optional<String> rollout, Optional<String> host, Set<EventKind> kinds) {
    if (!faults.isEmpty()) {
      throw ApiException.invalid(
          "INVALID_REQUEST",
          "The request is wrong in "
              + faults.stream().map(ErrorDetail::getPath).collect(Collectors.joining(", "))
              + "; see details.",
          faults);
    }
    if (rollout.filter(id -> !isName(id) || !feed.hasRollout(id)).isPresent()) {
      throw ApiException.notFound("UNKNOWN_ROLLOUT", "there is no rollout of the id in rollout");
    }
    if (host.filter(name -> !isName(name) || !feed.hasHost(name)).isPresent()) {
      throw ApiException.notFound("UNKNOWN_HOST", "there is no host of the name in host");
    }
    return new FeedFilter(rollout, host, kinds);
  }

  private static boolean isName(String sent) {
    return NAME.matcher(sent).matches();
  }
}
