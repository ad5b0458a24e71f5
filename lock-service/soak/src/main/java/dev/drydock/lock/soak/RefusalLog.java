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
  private final SoakHistory soakHistory;

  private RefusalLog(String process, SoakHistory soakHistory) {
    this.process = process;
    this.soakHistory = soakHistory;
  }

  /** From now on. */
  static void listen(String process, SoakHistory soakHistory) {
    RefusalLog log = new RefusalLog(process, soakHistory);
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
        soakHistory.tell(process, "refused", process, why);
        return;
      }
    }
  }
}
