package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProposalGapsTest {
  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final Candidate WANTED = new Candidate("c1", "r1", List.of("h1"), "web", "x");
  private static final List<Ticket> TICKETS =
      List.of(Grants.placeOf(WANTED, 0, Instant.EPOCH), EtcdTestBed.ticket("t1", Mode.WAIT, "h1"));
  private static final Optional<List<Candidate>> NOBODY = Optional.of(List.of());

  private final ProposalGaps proposalGaps = new ProposalGaps(LONGEST);

  @Test
  void placeStaysForAsLongAsItWasMissed() {
    assertThat(proposalGaps.staying(TICKETS, NOBODY, at(100))).containsExactly("c1");
    assertThat(proposalGaps.staying(TICKETS, NOBODY, at(700))).containsExactly("c1");
    assertThat(proposalGaps.staying(TICKETS, NOBODY, at(701))).isEmpty();
  }

  @Test
  void whoeverIsProposedInBetweenIsMissedAnew() {
    proposalGaps.staying(TICKETS, NOBODY, at(100));
    proposalGaps.staying(TICKETS, Optional.of(List.of(WANTED)), at(600));
    assertThat(proposalGaps.staying(TICKETS, NOBODY, at(800))).containsExactly("c1");
    assertThat(proposalGaps.staying(TICKETS, NOBODY, at(1401))).isEmpty();
  }

  @Test
  void nextTermMissesAnewAndWhereNobodyWasAskedAllStay() {
    proposalGaps.staying(TICKETS, NOBODY, at(100));
    assertThat(proposalGaps.staying(TICKETS, Optional.empty(), at(800))).containsExactly("c1");
    assertThat(proposalGaps.staying(TICKETS, NOBODY, at(800))).isEmpty();
    proposalGaps.forget();
    assertThat(proposalGaps.staying(TICKETS, NOBODY, at(801))).containsExactly("c1");
  }

  private static long at(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }
}
