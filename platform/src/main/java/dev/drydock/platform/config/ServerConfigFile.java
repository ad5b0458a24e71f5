package dev.drydock.platform.config;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads {@link ServerConfig} from its file and refuses it with all faults at once. */
public final class ServerConfigFile {
  private static final int PORT_MAX = 65_535;
  private static final int BODY_BYTES_MIN = 1024;
  private static final int BODY_BYTES_MAX = 64 * 1024 * 1024;
  private static final int DAY_SECONDS = 86_400;
  private static final int KEEP_HOURS_MAX = 10 * 365 * 24;
  private static final int POLL_SECONDS_MIN = 5; // A poll alone is kept open for three.
  private static final int HOLD_SECONDS_MIN = 60; // Hardly a host restarts in less.

  private static final int ASKED_MAX = 10_000;
  private static final int VALID_SECONDS_MIN = 600; // The first ones would leave others no room.
  private static final int MARGIN_SECONDS_MIN = 5; // etcd ends a lease some seconds late.

  private ServerConfigFile() {}

  /**
   * The configuration in the file.
   *
   * @throws ConfigException with all faults
   */
  public static ServerConfig read(Path file) {
    Fields fields = Fields.of(file);
    ServerConfig config =
        new ServerConfig(
            http(fields.section("http")),
            postgres(fields.section("postgres")),
            etcd(fields.section("etcd")),
            temporal(fields.section("temporal")),
            fields.file("tokensFile"),
            seconds(fields, "stalenessSeconds", 30),
            seconds(fields, "jobLeaseSeconds", 15),
            seconds(fields, "jobMarginSeconds", 5),
            seconds(fields, "grantorLeaseSeconds", 10),
            fields.has("events") ? events(fields.section("events")) : ServerConfig.Events.DEFAULT,
            fields.has("fleetLock")
                ? fleetLock(fields.section("fleetLock"))
                : ServerConfig.FleetLock.DEFAULT,
            fields.has("passing")
                ? passing(fields.section("passing"))
                : ServerConfig.Passing.DEFAULT,
            fields.has("remediation")
                ? remediation(fields.section("remediation"))
                : ServerConfig.Remediation.DEFAULT,
            fields.has("preflight")
                ? preflight(fields.section("preflight"))
                : ServerConfig.Preflight.DEFAULT,
            fields.has("prometheus") ? prometheus(fields.section("prometheus")) : Optional.empty(),
            fields.has("recoveryWaitSeconds")
                ? Optional.of(seconds(fields, "recoveryWaitSeconds", 60))
                : Optional.empty());
    fields.finish();
    return config;
  }

  private static ServerConfig.Http http(Fields fields) {
    return new ServerConfig.Http(
        fields.text("host"),
        fields.number("port", 0, PORT_MAX),
        fields.number("maxBodyBytes", BODY_BYTES_MIN, BODY_BYTES_MAX, 8 * 1024 * 1024));
  }

  private static PostgresConfig postgres(Fields fields) {
    String url = fields.text("url");
    if (!url.isBlank() && !url.startsWith("jdbc:postgresql://")) {
      fields.fault("url", "must start with jdbc:postgresql://");
    }
    return new PostgresConfig(url, fields.text("user"), password(fields));
  }

  private static String password(Fields fields) {
    if (fields.optionalText("passwordFile").isEmpty()) {
      return "";
    }
    Path file = fields.file("passwordFile");
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      fields.fault("passwordFile", "cannot be read: " + unreadable);
      return "";
    }
  }

  private static ServerConfig.Etcd etcd(Fields fields) {
    List<URI> endpoints = new ArrayList<>();
    for (String endpoint : fields.texts("endpoints")) {
      if (!endpoint.matches("https?://[^/\\s]+:[0-9]{1,5}/?")) {
        fields.fault("endpoints", "has " + endpoint + ", must be like http://127.0.0.1:2379");
      } else {
        endpoints.add(URI.create(endpoint));
      }
    }
    return new ServerConfig.Etcd(
        endpoints,
        fields.number("maxTxnOps", 128, 65_536, 4096),
        fields.optionalText("root").orElse("/drydock/"));
  }

  private static ServerConfig.Temporal temporal(Fields fields) {
    String target = fields.text("target");
    if (!target.isBlank() && !target.matches("[^\\s/]+:[0-9]{1,5}")) {
      fields.fault("target", "must be HOST:PORT");
    }
    return new ServerConfig.Temporal(
        target,
        fields.optionalText("namespace").orElse("default"),
        fields.optionalText("taskQueue").orElse("drydock"));
  }

  private static ServerConfig.Events events(Fields fields) {
    ServerConfig.Events usual = ServerConfig.Events.DEFAULT;
    return new ServerConfig.Events(
        Duration.ofHours(
            fields.number("keepHours", 1, KEEP_HOURS_MAX, (int) usual.kept().toHours())),
        // At least one: the newest tells where the numbers go on.
        fields.number("keepNewest", 1, Integer.MAX_VALUE, usual.newestKept()));
  }

  private static ServerConfig.FleetLock fleetLock(Fields fields) {
    ServerConfig.FleetLock usual = ServerConfig.FleetLock.DEFAULT;
    return new ServerConfig.FleetLock(
        Duration.ofSeconds(
            fields.number(
                "pollSeconds", POLL_SECONDS_MIN, DAY_SECONDS, (int) usual.poll().toSeconds())),
        Duration.ofSeconds(
            fields.number(
                "maxSeconds",
                HOLD_SECONDS_MIN,
                30 * DAY_SECONDS,
                (int) usual.maximum().toSeconds())));
  }

  private static ServerConfig.Passing passing(Fields fields) {
    ServerConfig.Passing usual = ServerConfig.Passing.DEFAULT;
    return new ServerConfig.Passing(
        Duration.ofSeconds(
            fields.number("longestSeconds", 0, DAY_SECONDS, (int) usual.longest().toSeconds())),
        Duration.ofSeconds(
            fields.number(
                "marginSeconds", MARGIN_SECONDS_MIN, 3600, (int) usual.margin().toSeconds())));
  }

  private static ServerConfig.Remediation remediation(Fields fields) {
    ServerConfig.Remediation usual = ServerConfig.Remediation.DEFAULT;
    return new ServerConfig.Remediation(
        fields.number("atOnce", 1, Integer.MAX_VALUE, usual.atOnce()),
        fields.number("alike", 1, Integer.MAX_VALUE, usual.alike()),
        Duration.ofSeconds(
            fields.number(
                "coolDownSeconds", 0, 30 * DAY_SECONDS, (int) usual.coolDown().toSeconds())));
  }

  private static ServerConfig.Preflight preflight(Fields fields) {
    ServerConfig.Preflight usual = ServerConfig.Preflight.DEFAULT;
    return new ServerConfig.Preflight(
        fields.number("openMax", 0, ASKED_MAX, usual.openMax()),
        fields.number("aheadMax", 1, ASKED_MAX, usual.aheadMax()),
        Duration.ofSeconds(
            fields.number(
                "validSeconds", VALID_SECONDS_MIN, DAY_SECONDS, (int) usual.valid().toSeconds())),
        fields.number("alike", 0, Integer.MAX_VALUE / 100, usual.alike()));
  }

  private static Optional<URI> prometheus(Fields fields) {
    String url = fields.text("url");
    if (url.matches("https?://[^\\s?#]+")) {
      return Optional.of(URI.create(url.replaceAll("/+$", "")));
    }
    fields.fault("url", "must be like http://127.0.0.1:9090");
    return Optional.empty();
  }

  private static Duration seconds(Fields fields, String name, int fallback) {
    return Duration.ofSeconds(fields.number(name, 1, DAY_SECONDS, fallback));
  }
}
