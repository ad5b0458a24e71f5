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
    ConfigFields configFields = ConfigFields.of(file);
    ServerConfig config =
        new ServerConfig(
            http(configFields.section("http")),
            postgres(configFields.section("postgres")),
            etcd(configFields.section("etcd")),
            temporal(configFields.section("temporal")),
            configFields.file("tokensFile"),
            seconds(configFields, "stalenessSeconds", 30),
            seconds(configFields, "jobLeaseSeconds", 15),
            seconds(configFields, "jobMarginSeconds", 5),
            seconds(configFields, "grantorLeaseSeconds", 10),
            configFields.has("events")
                ? events(configFields.section("events"))
                : ServerConfig.Events.DEFAULT,
            configFields.has("fleetLock")
                ? fleetLock(configFields.section("fleetLock"))
                : ServerConfig.FleetLock.DEFAULT,
            configFields.has("passing")
                ? passing(configFields.section("passing"))
                : ServerConfig.Passing.DEFAULT,
            configFields.has("remediation")
                ? remediation(configFields.section("remediation"))
                : ServerConfig.Remediation.DEFAULT,
            configFields.has("preflight")
                ? preflight(configFields.section("preflight"))
                : ServerConfig.Preflight.DEFAULT,
            configFields.has("prometheus")
                ? prometheus(configFields.section("prometheus"))
                : Optional.empty(),
            configFields.has("recoveryWaitSeconds")
                ? Optional.of(seconds(configFields, "recoveryWaitSeconds", 60))
                : Optional.empty());
    configFields.finish();
    return config;
  }

  private static ServerConfig.Http http(ConfigFields configFields) {
    return new ServerConfig.Http(
        configFields.text("host"),
        configFields.number("port", 0, PORT_MAX),
        configFields.number("maxBodyBytes", BODY_BYTES_MIN, BODY_BYTES_MAX, 8 * 1024 * 1024));
  }

  private static PostgresConfig postgres(ConfigFields configFields) {
    String url = configFields.text("url");
    if (!url.isBlank() && !url.startsWith("jdbc:postgresql://")) {
      configFields.fault("url", "must start with jdbc:postgresql://");
    }
    return new PostgresConfig(url, configFields.text("user"), password(configFields));
  }

  private static String password(ConfigFields configFields) {
    if (configFields.optionalText("passwordFile").isEmpty()) {
      return "";
    }
    Path file = configFields.file("passwordFile");
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      configFields.fault("passwordFile", "cannot be read: " + unreadable);
      return "";
    }
  }

  private static ServerConfig.Etcd etcd(ConfigFields configFields) {
    List<URI> endpoints = new ArrayList<>();
    for (String endpoint : configFields.texts("endpoints")) {
      if (!endpoint.matches("https?://[^/\\s]+:[0-9]{1,5}/?")) {
        configFields.fault("endpoints", "has " + endpoint + ", must be like http://127.0.0.1:2379");
      } else {
        endpoints.add(URI.create(endpoint));
      }
    }
    return new ServerConfig.Etcd(
        endpoints,
        configFields.number("maxTxnOps", 128, 65_536, 4096),
        configFields.optionalText("root").orElse("/drydock/"));
  }

  private static ServerConfig.Temporal temporal(ConfigFields configFields) {
    String target = configFields.text("target");
    if (!target.isBlank() && !target.matches("[^\\s/]+:[0-9]{1,5}")) {
      configFields.fault("target", "must be HOST:PORT");
    }
    return new ServerConfig.Temporal(
        target,
        configFields.optionalText("namespace").orElse("default"),
        configFields.optionalText("taskQueue").orElse("drydock"));
  }

  private static ServerConfig.Events events(ConfigFields configFields) {
    ServerConfig.Events usual = ServerConfig.Events.DEFAULT;
    return new ServerConfig.Events(
        Duration.ofHours(
            configFields.number("keepHours", 1, KEEP_HOURS_MAX, (int) usual.kept().toHours())),
        // At least one: the newest tells where the numbers go on.
        configFields.number("keepNewest", 1, Integer.MAX_VALUE, usual.newestKept()));
  }

  private static ServerConfig.FleetLock fleetLock(ConfigFields configFields) {
    ServerConfig.FleetLock usual = ServerConfig.FleetLock.DEFAULT;
    return new ServerConfig.FleetLock(
        Duration.ofSeconds(
            configFields.number(
                "pollSeconds", POLL_SECONDS_MIN, DAY_SECONDS, (int) usual.poll().toSeconds())),
        Duration.ofSeconds(
            configFields.number(
                "maxSeconds",
                HOLD_SECONDS_MIN,
                30 * DAY_SECONDS,
                (int) usual.maximum().toSeconds())));
  }

  private static ServerConfig.Passing passing(ConfigFields configFields) {
    ServerConfig.Passing usual = ServerConfig.Passing.DEFAULT;
    return new ServerConfig.Passing(
        Duration.ofSeconds(
            configFields.number(
                "longestSeconds", 0, DAY_SECONDS, (int) usual.longest().toSeconds())),
        Duration.ofSeconds(
            configFields.number(
                "marginSeconds", MARGIN_SECONDS_MIN, 3600, (int) usual.margin().toSeconds())));
  }

  private static ServerConfig.Remediation remediation(ConfigFields configFields) {
    ServerConfig.Remediation usual = ServerConfig.Remediation.DEFAULT;
    return new ServerConfig.Remediation(
        configFields.number("atOnce", 1, Integer.MAX_VALUE, usual.atOnce()),
        configFields.number("alike", 1, Integer.MAX_VALUE, usual.alike()),
        Duration.ofSeconds(
            configFields.number(
                "coolDownSeconds", 0, 30 * DAY_SECONDS, (int) usual.coolDown().toSeconds())));
  }

  private static ServerConfig.Preflight preflight(ConfigFields configFields) {
    ServerConfig.Preflight usual = ServerConfig.Preflight.DEFAULT;
    return new ServerConfig.Preflight(
        configFields.number("openMax", 0, ASKED_MAX, usual.openMax()),
        configFields.number("aheadMax", 1, ASKED_MAX, usual.aheadMax()),
        Duration.ofSeconds(
            configFields.number(
                "validSeconds", VALID_SECONDS_MIN, DAY_SECONDS, (int) usual.valid().toSeconds())),
        configFields.number("alike", 0, Integer.MAX_VALUE / 100, usual.alike()));
  }

  private static Optional<URI> prometheus(ConfigFields configFields) {
    String url = configFields.text("url");
    if (url.matches("https?://[^\\s?#]+")) {
      return Optional.of(URI.create(url.replaceAll("/+$", "")));
    }
    configFields.fault("url", "must be like http://127.0.0.1:9090");
    return Optional.empty();
  }

  private static Duration seconds(ConfigFields configFields, String name, int fallback) {
    return Duration.ofSeconds(configFields.number(name, 1, DAY_SECONDS, fallback));
  }
}
