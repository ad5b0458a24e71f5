package dev.drydock.orchestrator.drain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.DrainAnswer;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Who may say what of hosts that were not drained; rob started the rollout, ann asked for Force.
 */
class RulingTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          false |     | rob | false | Wait       | Settled[answer=Wait]
          false |     | rob | false | Requeue    | Settled[answer=Requeue]
          true  |     | rob | false | Quarantine | Settled[answer=Quarantine]
          false | ann | ann | true  | Wait       | Settled[answer=Wait]
          false |     | ann | true  | Force      | Asked[]
          false |     | rob | false | Force      | Asked[]
          false | ann | ann | true  | Force      | Refused[why=ann asked for Force already: somebody else has to approve it]
          false | ann | rob | true  | Force      | Refused[why=rob started the rollout: somebody else has to approve Force]
          false | ann | ops | false | Force      | Refused[why=Force is approved by an owner of what runs there, which ops is not]
          false | ann | ben | true  | Force      | Settled[answer=Force]
          true  |     | rob | true  | Force      | Refused[why=rob started the rollout: somebody else has to approve Force]
          true  |     | ops | false | Force      | Refused[why=Force is approved by an owner of what runs there, which ops is not]
          true  |     | ben | true  | Force      | Settled[answer=Force]
          """)
  void theTable(
      boolean forced, String forceBy, String by, boolean owns, DrainAnswer answer, String ruling) {
    Ruling.Standing standing = new Ruling.Standing(forced, Optional.ofNullable(forceBy), "rob");
    assertThat(Ruling.of(standing, new Ruling.Person(by, owns), answer)).hasToString(ruling);
  }
}
