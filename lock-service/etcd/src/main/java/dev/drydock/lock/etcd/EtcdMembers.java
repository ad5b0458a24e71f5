package dev.drydock.lock.etcd;

import io.etcd.jetcd.Client;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of etcd, of which one is asked until it gives no answer. Taking turns, as gRPC does
 * by itself, would make a share of all calls time out for as long as one member is cut off from the
 * others, and hardly anything is done by one call. Thread-safe.
 */
final class EtcdMembers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EtcdMembers.class);

  /** A snapshot of a full queue is larger than gRPC takes by itself. */
  private static final int ANSWER_BYTES_MAX = 64 * 1024 * 1024;

  /** etcd refuses to be asked more often than every 5 s. */
  private static final Duration KEEPALIVE = Duration.ofSeconds(6);

  /** A member that was cut off is left this soon; until then a share of all calls times out. */
  private static final Duration KEEPALIVE_TIMEOUT = Duration.ofSeconds(2);

  private final List<URI> endpoints;
  private final List<Client> clients;
  private final AtomicInteger current;

  EtcdMembers(List<URI> endpoints, Duration callTimeout) {
    this.endpoints = endpoints;
    clients = endpoints.stream().map(endpoint -> connect(endpoint, callTimeout)).toList();
    // Not all processes at the same one.
    current = new AtomicInteger(ThreadLocalRandom.current().nextInt(clients.size()));
  }

  private static Client connect(URI endpoint, Duration callTimeout) {
    return Client.builder()
        .endpoints(endpoint)
        .waitForReady(false)
        .maxInboundMessageSize(ANSWER_BYTES_MAX)
        .connectTimeout(callTimeout)
        .keepaliveTime(KEEPALIVE)
        .keepaliveTimeout(KEEPALIVE_TIMEOUT)
        .executorService(new CallerRunsExecutor())
        .interceptor(new AnswersWhereTheyArrive())
        .retryMaxDuration(callTimeout)
        .build();
  }

  Client current() {
    return clients.get(current.get());
  }

  Client at(URI endpoint) {
    return clients.get(endpoints.indexOf(endpoint));
  }

  /** The next one is asked from now on, unless somebody left {@code silent} already. */
  void leave(Client silent) {
    int left = clients.indexOf(silent);
    int next = (left + 1) % clients.size();
    if (next != left && current.compareAndSet(left, next)) {
      log.info(
          "etcd member {} gave no answer; {} is asked", endpoints.get(left), endpoints.get(next));
    }
  }

  @Override
  public void close() {
    clients.forEach(Client::close);
  }

  /**
   * Hands answers on in the thread that read them, which saves half of a lone call's time; so
   * nothing that waits for an answer may be done there.
   */
  private static final class AnswersWhereTheyArrive implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return next.newCall(method, options.withExecutor(Runnable::run));
    }
  }
}
