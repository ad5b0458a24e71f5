package dev.drydock.lock.soak;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import dev.drydock.lock.etcd.EtcdRefusedException;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * Tells the history what etcd refused of a server, which clients only hear of as an error of the
 * server's: {@code refused} with the reason.
 */
final class RefusalLog extends AppenderBase<ILoggingEvent> {
  private final String process;
  private final History history;

  private RefusalLog(String process, History history) {
    this.process = process;
    this.history = history;
  }

  /** From now on. */
  static void listen(String process, History history) {
    RefusalLog log = new RefusalLog(process, history);
    log.start();
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).addAppender(log);
  }

  @Override
  protected void append(ILoggingEvent event) {
    for (IThrowableProxy cause = event.getThrowableProxy();
        cause != null;
        cause = cause.getCause()) {
      if (cause.getClassName().equals(EtcdRefusedException.class.getName())) {
        Map<String, Object> why = Map.of("reason", String.valueOf(cause.getMessage()));
        history.tell(process, "refused", process, why);
        return;
      }
    }
  }
}
