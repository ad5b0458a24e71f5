package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a leader of etcd says of leases once it was deposed. Real ones do so for a second at most
 * (ADR 13), which no test meets for sure; so here somebody else answers for them.
 */
class DeposedLeaderTest {
  private static final long OLD = 2;
  private static final long NEW = 3;

  /**
   * Terms in which renewals are answered, one after the other; negative: knows of no such lease.
   */
  private final Queue<Long> renewals = new ArrayDeque<>();

  private final Server server;
  private final EtcdConnection etcd;

  DeposedLeaderTest() throws IOException {
    server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(new Leases())
            .addService(new Reads())
            .build()
            .start();
    etcd =
        new EtcdConnection(
            new EtcdConfig(
                List.of(URI.create("http://127.0.0.1:" + server.getPort())),
                "/test/",
                128,
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5)),
            TransactionHook.NONE);
  }

  @AfterEach
  void close() {
    etcd.close();
    server.shutdownNow();
  }

  @Test
  void renewalByTheLeaderCounts() {
    renewals.add(NEW);

    assertThat(etcd.keepAlive(7)).isTrue();
  }

  @Test
  void renewalByDeposedLeaderIsNotBelieved() {
    renewals.add(OLD);

    assertThatThrownBy(() -> etcd.keepAlive(7))
        .isInstanceOf(UnknownOutcomeException.class)
        .hasMessageContaining("term 3")
        .hasMessageContaining("term 2");
  }

  @Test
  void isAskedAgainUntilTheLeaderAnswers() {
    renewals.addAll(List.of(OLD, OLD, NEW));

    assertThat(etcd.repeat(() -> etcd.keepAlive(7))).isTrue();
    assertThat(renewals).containsExactly(NEW);
  }

  @Test
  void leaseThatOnlyDeposedLeaderDoesNotKnowIsNotGone() {
    renewals.addAll(List.of(-OLD, NEW));

    assertThat(etcd.keepAlive(7)).isTrue();
  }

  @Test
  void leaseThatNobodyKnowsIsGone() {
    renewals.add(-NEW);

    assertThat(etcd.keepAlive(7)).isFalse();
  }

  private static ResponseHeader header(long term) {
    return ResponseHeader.newBuilder().setRaftTerm(term).build();
  }

  private final class Leases extends LeaseGrpc.LeaseImplBase {
    @Override
    public StreamObserver<LeaseKeepAliveRequest> leaseKeepAlive(
        StreamObserver<LeaseKeepAliveResponse> answers) {
      return new StreamObserver<>() {
        @Override
        public void onNext(LeaseKeepAliveRequest request) {
          long term = renewals.size() > 1 ? renewals.remove() : renewals.element();
          answers.onNext(
              LeaseKeepAliveResponse.newBuilder()
                  .setID(request.getID())
                  .setTTL(term < 0 ? 0 : 10)
                  .setHeader(header(Math.abs(term)))
                  .build());
        }

        @Override
        public void onError(Throwable gone) {}

        @Override
        public void onCompleted() {
          answers.onCompleted();
        }
      };
    }
  }

  /** Reads are linearizable, so that only the leader of the newest term can answer them. */
  private static final class Reads extends KVGrpc.KVImplBase {
    @Override
    public void range(RangeRequest request, StreamObserver<RangeResponse> answer) {
      answer.onNext(RangeResponse.newBuilder().setHeader(header(NEW)).build());
      answer.onCompleted();
    }
  }
}
