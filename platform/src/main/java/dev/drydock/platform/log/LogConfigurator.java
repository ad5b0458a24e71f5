package dev.drydock.platform.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.Console;
import net.logstash.logback.encoder.LogstashEncoder;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * Sets Logback up without a file: one JSON object per line, or readable text on a terminal. {@code
 * DRYDOCK_LOG=text} or {@code json} decides otherwise, {@code DRYDOCK_LOG_LEVEL} sets the level of
 * Drydock's own loggers.
 */
public final class LogConfigurator extends ContextAwareBase implements Configurator {
  private static final String PATTERN =
      "%d{HH:mm:ss.SSS} %-5level %-28logger{28} %msg%replace( [%mdc]){' \\[\\]', ''}%n";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setName("console");
    appender.setTarget("System.err");
    appender.setEncoder(wantsText() ? text(context) : json(context));
    appender.start();
    context.getLogger("ROOT").addAppender(appender);
    context.getLogger("ROOT").setLevel(Level.WARN);
    context
        .getLogger("dev.drydock")
        .setLevel(Level.toLevel(System.getenv().get("DRYDOCK_LOG_LEVEL"), Level.INFO));
    // gRPC logs through java.util.logging, which has no JSON.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    // It logs every refused request with its stack; the bridge says what is worth saying.
    context.getLogger("com.linkedin").setLevel(Level.OFF);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static boolean wantsText() {
    String wanted = System.getenv().getOrDefault("DRYDOCK_LOG", "");
    Console console = System.console();
    return wanted.equals("text")
        || (!wanted.equals("json") && console != null && console.isTerminal());
  }

  private static Encoder<ILoggingEvent> text(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    return encoder;
  }

  private static Encoder<ILoggingEvent> json(LoggerContext context) {
    LogstashEncoder encoder = new LogstashEncoder();
    encoder.setContext(context);
    encoder.setIncludeContext(false);
    encoder.start();
    return encoder;
  }
}
