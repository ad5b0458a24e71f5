package dev.drydock.orchestrator.core.drain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Person;
import dev.drydock.orchestrator.core.drain.DrainAnswerRule.Question;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.NamedConstant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may answer what. Rob started the rollout; ann, where she is named first, asked for Force. */
class DrainAnswerRuleTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          false |     | rob | false | Wait       | Decides[option=WAIT]
          false |     | rob | false | Requeue    | Decides[option=REQUEUE]
          true  |     | rob | false | Quarantine | Decides[option=QUARANTINE]
          false | ann | ann | true  | Wait       | Decides[option=WAIT]
          false |     | ann | true  | Force      | AsksForForce[]
          false |     | rob | false | Force      | AsksForForce[]
          false | ann | ann | true  | Force      | Refused[why=ann asked for Force already: somebody else has to approve it]
          false | ann | rob | true  | Force      | Refused[why=rob started the rollout: somebody else has to approve Force]
          false | ann | ops | false | Force      | Refused[why=Force is approved by an owner of what runs there, which ops is not]
          false | ann | ben | true  | Force      | Decides[option=FORCE]
          true  |     | rob | true  | Force      | Refused[why=rob started the rollout: somebody else has to approve Force]
          true  |     | ops | false | Force      | Refused[why=Force is approved by an owner of what runs there, which ops is not]
          true  |     | ben | true  | Force      | Decides[option=FORCE]
          """)
  void theTable(
      boolean forced, String forceBy, String by, boolean owns, String answer, String outcome) {
    Question question = new Question(forced, Optional.ofNullable(forceBy), "rob");
    assertThat(
            DrainAnswerRule.of(
                question, new Person(by, owns), NamedConstant.of(Option.class, answer)))
        .hasToString(outcome);
  }
}
