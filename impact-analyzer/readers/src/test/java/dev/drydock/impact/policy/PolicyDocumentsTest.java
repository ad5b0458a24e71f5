package dev.drydock.impact.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.policy.PolicyDocuments.Document;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyDocumentsTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void aFileWithOnePolicyIsTakenAsItIs() {
    for (String one : List.of("a: 1\n", "# ours\n---\na: 1\n...\n", "", "# ours\n", "--- {a: 1}")) {
      assertThat(PolicyDocuments.of(one)).containsExactly(new Document(0, one));
    }
  }

  @Test
  void eachKnowsWhereItBegins() {
    assertThat(PolicyDocuments.of("a: 1\n---\n\n---\nb: |\n  ---\n  x\n---\n# end\n"))
        .containsExactly(new Document(0, "a: 1\n"), new Document(3, "---\nb: |\n  ---\n  x\n"));
  }

  @Test
  void aFolderHasThePoliciesOfAllItsFiles() throws IOException {
    String policy =
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: NAME, team: ours}
        spec: {applications: [NAME], capacity: [{maxUnavailable: 1}]}
        """;
    List<String> all = new ArrayList<>();
    for (String name : List.of("web", "search", "ads")) {
      all.add(policy.replace("NAME", name));
    }
    Files.writeString(folder.resolve("two.yaml"), all.get(0) + "---\n" + all.get(1));
    Files.writeString(folder.resolve("one.yml"), all.get(2));
    PolicyFolder read = PolicyFolder.read(folder);
    assertThat(read.faults()).isEmpty();
    assertThat(read.policies().byApplication()).containsOnlyKeys("web", "search", "ads");
    Files.writeString(folder.resolve("two.yaml"), all.get(0) + "---\na: 1\n");
    assertThat(PolicyFolder.read(folder).faults().getFirst()).contains("two.yaml:6: ");
  }
}
