package dev.drydock.server;

import dev.drydock.platform.config.ConfigException;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.config.ServerConfigFile;
import dev.drydock.proto.crash.CrashPoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the server and keeps it until the process is told to end. Exit codes: 0 after an orderly
 * end, 1 when it could not start, 2 for a wrong command line or configuration.
 */
public final class Main {
  private static final Logger log = LoggerFactory.getLogger(Main.class);
  private static final Duration STORES_BUDGET = Duration.ofSeconds(30);
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private Main() {}

  public static void main(String[] words) throws InterruptedException {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> log.error("thread {} ended by an error", thread.getName(), thrown));
    Optional<Integer> failed = run(words);
    if (failed.isPresent()) {
      System.exit(failed.get());
    }
  }

  /** Runs until the end of the process; answers an exit code only when it could not start. */
  private static Optional<Integer> run(String[] words) throws InterruptedException {
    try {
      Arguments arguments = Arguments.parse(words);
      ServerConfig config = ServerConfigFile.read(arguments.config());
      CrashPoint.stateDirectory(
          Optional.ofNullable(arguments.config().getParent()).orElse(Path.of("/")));
      BackingStores backingStores = BackingStores.of(config, arguments.roles());
      backingStores.await(STORES_BUDGET);
      Wiring wiring = Wiring.start(arguments.roles(), config, backingStores);
      log.info("serving {} at {}", arguments.roles(), wiring.address());
      untilToldToEnd(wiring);
      return Optional.empty();
    } catch (Arguments.UsageException wrong) {
      return failed(USAGE, wrong.getMessage() + "\n" + Arguments.USAGE);
    } catch (ConfigException wrong) {
      return failed(USAGE, String.valueOf(wrong.getMessage()));
    } catch (StartFailure failure) {
      return failed(FAILED, String.valueOf(failure.getMessage()));
    } catch (RuntimeException unexpected) {
      log.error("the server could not start", unexpected);
      return Optional.of(FAILED);
    }
  }

  private static Optional<Integer> failed(int code, String message) {
    System.err.println("drydock: " + message);
    return Optional.of(code);
  }

  private static void untilToldToEnd(Wiring wiring) throws InterruptedException {
    CountDownLatch told = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("shutdown")
                .unstarted(
                    () -> {
                      log.info("told to end");
                      wiring.close();
                      log.info("ended");
                      told.countDown();
                    }));
    told.await();
  }
}
