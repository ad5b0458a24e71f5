package dev.drydock.platform.http;

import java.time.Duration;

/**
 * The times of streams.
 *
 * @param heartbeat a stream that is quiet this long gets a comment, which shows both ends that the
 *     other is there
 * @param patience how long a client may take to read what was sent before it is dropped
 * @param lifetime how long a stream lasts; who comes back shows its token again
 */
record StreamPace(Duration heartbeat, Duration patience, Duration lifetime) {
  static final StreamPace DEFAULT =
      new StreamPace(Duration.ofSeconds(15), Duration.ofSeconds(30), Duration.ofHours(1));
}
