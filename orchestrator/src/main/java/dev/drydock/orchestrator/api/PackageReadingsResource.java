package dev.drydock.orchestrator.api;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.PackageReading;
import dev.drydock.api.PackageReadings;
import dev.drydock.api.PackagesDue;
import dev.drydock.api.RolloutMode;
import dev.drydock.orchestrator.packages.PackageWatch;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What is installed on hosts in nobody's hands, as the consumers of package updates read it: whose
 * packages changed all the same was updated by somebody else.
 */
@RestLiCollection(name = "packageReadings", namespace = "dev.drydock.api", keyName = "host")
public final class PackageReadingsResource extends CollectionResourceTemplate<String, PackagesDue> {
  private static final String TOPIC = "host/" + RolloutMode.PackageUpdate;
  private static final int SECONDS_MAX = 86_400;
  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

  private final PackageWatch watch;

  public PackageReadingsResource(PackageWatch watch) {
    this.watch = watch;
  }

  /**
   * Hosts to be read, in pages of at most 1000: those that nobody has and that were not read for so
   * many seconds, the one that was read longest ago first.
   */
  @Allow(Role.CONSUMER)
  @Finder("due")
  public CollectionResult<PackagesDue, NoMetadata> due(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("seconds") @Optional("30") int seconds) {
    requireTopic();
    return Paging.answer(
        paging, Paging.COUNT_MAX, window -> watch.due(Math.clamp(seconds, 0, SECONDS_MAX), window));
  }

  /**
   * Takes what was read, and answers of how many hosts: a reading is ignored when something was
   * done to its host since it was offered. The same again changes nothing.
   */
  @Allow(Role.CONSUMER)
  @Action(name = "report")
  public int report(@ActionParam("readings") PackageReadings readings) {
    requireTopic();
    if (readings.getReadings().size() > Paging.COUNT_MAX) {
      throw invalid("readings must be at most " + Paging.COUNT_MAX + ": send the rest apart");
    }
    for (int i = 0; i < readings.getReadings().size(); i++) {
      require(i, readings.getReadings().get(i));
    }
    return watch.report(readings.getReadings());
  }

  private void requireTopic() {
    Principal caller = Caller.of(getContext());
    if (!caller.consumes(TOPIC)) {
      throw ApiException.forbidden(
          "TOPIC_NOT_YOURS", caller.name() + " does not consume topic " + TOPIC);
    }
  }

  private static void require(int index, PackageReading reading) {
    String place = "readings[" + index + "]";
    if (!InputText.isShortText(reading.getHost())) {
      throw invalid(place + ".host must be the name of a host");
    }
    if (reading.getDigest().isEmpty() && !InputText.isShortText(reading.getFault())) {
      throw invalid(place + ".fault must be a text of 1 to 200 characters, as there is no digest");
    }
    if (!reading.getDigest().isEmpty() && !DIGEST.matcher(reading.getDigest()).matches()) {
      throw invalid(place + ".digest must be 64 of the characters 0-9 and a-f");
    }
  }

  private static ApiException invalid(String message) {
    return ApiException.invalid("INVALID_REQUEST", message, List.of());
  }
}
