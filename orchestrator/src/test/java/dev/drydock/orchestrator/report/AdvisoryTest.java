package dev.drydock.orchestrator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.ErrorDetail;
import dev.drydock.proto.InvalidRecordException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which hosts an OSV entry is about, and what is said of a file that is none. */
class AdvisoryTest {
  @ParameterizedTest
  @CsvSource({
    // introduced 0, fixed
    "'{introduced: 0}, {fixed: 1.1}', 1.0, true",
    "'{introduced: 0}, {fixed: 1.1}', 1.1~rc1, true",
    "'{introduced: 0}, {fixed: 1.1}', 1.1, false",
    "'{introduced: 0}, {fixed: 1.1}', 0~0, true",
    // later events decide, in whatever order they are written
    "'{fixed: 1.1}, {introduced: 1.0}', 0.9, false",
    "'{introduced: 1.0}, {fixed: 1.1}, {introduced: 1.3}', 1.2, false",
    "'{introduced: 1.0}, {fixed: 1.1}, {introduced: 1.3}', 1.10, true",
    "'{introduced: 1.0}, {last_affected: 1.1}', 1.1, true",
    "'{introduced: 1.0}, {last_affected: 1.1}', 1.1+b1, false",
    "'{introduced: 1.0}', 1:0.1, true"
  })
  void evaluatesARange(String events, String version, boolean affected) {
    String quoted = events.replaceAll("(\\w+): ([^}]+)", "\"$1\": \"$2\"");
    Advisory advisory = one(entry("Debian:12", "web", quoted));
    assertThat(hits(advisory, "12", version)).isEqualTo(affected);
  }

  @Test
  void takesVersionsNamedOneByOne() {
    Advisory advisory =
        one(
            """
            {"id": "A", "affected": [{"package": {"ecosystem": "Debian", "name": "web"},
             "versions": ["1.0-1", "1.0-3"]}]}""");
    assertThat(hits(advisory, "12", "1.0-3")).isTrue();
    assertThat(hits(advisory, "12", "1.0-2")).isFalse();
  }

  @Test
  void asksOneOfSeveralVersionsSideBySide() {
    Advisory advisory = one(entry("Debian", "web", INTRODUCED_AND_FIXED));
    assertThat(hits(advisory, "12", "1.0 1.2")).isTrue();
    assertThat(hits(advisory, "12", "1.1 1.2")).isFalse();
  }

  @Test
  void isAboutTheReleaseOfItsEcosystemOrAboutAll() {
    assertThat(affects("Debian:12", "debian 12")).isTrue();
    assertThat(affects("Debian:12", "Debian GNU/Linux 12.4")).isTrue();
    assertThat(affects("Debian:12", "debian 11")).isFalse();
    assertThat(affects("Debian:1", "debian 12")).isFalse();
    assertThat(affects("Debian", "debian 11")).isTrue();
    assertThat(affects("Ubuntu:22.04:LTS", "22.04")).isTrue();
    assertThat(affects("Rocky Linux:9", "rocky 9")).as("another family").isFalse();
    assertThat(affects("Debian:12", "")).as("nothing is closed for want of a number").isTrue();
  }

  private static boolean affects(String ecosystem, String release) {
    return hits(one(entry(ecosystem, "web", INTRODUCED_AND_FIXED)), release, "1.0");
  }

  @Test
  void namesTheCvesOfAnEntry() {
    assertThat(cves("\"aliases\": [\"CVE-1\", \"GHSA-x\"], \"upstream\": [\"CVE-2\"]"))
        .containsExactlyInAnyOrder("CVE-1", "CVE-2");
    assertThat(cves("\"related\": [\"CVE-3\", \"X-1\"]")).containsExactly("CVE-3");
    assertThat(cves("\"aliases\": [\"CVE-1\"], \"related\": [\"CVE-3\"]")).containsExactly("CVE-1");
    assertThat(cves("\"aliases\": []")).containsExactly("DSA-1");
  }

  private static Set<String> cves(String names) {
    return one(entry("Debian", "web", INTRODUCED_AND_FIXED).replace("\"id\"", names + ", \"id\""))
        .cves();
  }

  @Test
  void readsAllFormsOfAFile() {
    String entry = entry("Debian", "web", INTRODUCED_AND_FIXED);
    String withdrawn = entry.replace("\"id\"", "\"withdrawn\": \"2026-01-01T00:00:00Z\", \"id\"");
    assertThat(OsvFile.read(entry)).hasSize(1);
    assertThat(OsvFile.read("[" + entry + "," + withdrawn + "]")).hasSize(1);
    assertThat(OsvFile.read("{\"vulns\": [" + entry + "," + entry + "]}")).hasSize(2);
    assertThat(OsvFile.read("[]")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'id': 'DSA-1'                             | {'ID': 'DSA-1'              | [1].id",
        "'affected'                                 | 'effected'                  | [1].affected",
        "'Debian'                                   | 'npm'                       | [1].affected",
        "'Debian'                                   | 12                          | [1].affected[0].package.ecosystem",
        "'name': 'web'                              | 'nam': 'web'                | [1].affected[0].package.name",
        "{'ecosystem': 'Debian', 'name': 'web'}     | 'web'                       | [1].affected[0].package",
        "'ECOSYSTEM'                                | 'GIT'                       | [1].affected[0].ranges[0].type",
        "{'fixed': '1.1'}                           | {'fixt': '1.1'}             | [1].affected[0].ranges[0].events[1]",
        "{'fixed': '1.1'}                           | {'fixed': null}             | [1].affected[0].ranges[0].events[1]",
        "{'fixed': '1.1'}                           | {'fixed': '1', 'limit': '2'} | [1].affected[0].ranges[0].events[1]",
        "{'introduced': '0'}, {                     | {                           | [1].affected[0].ranges[0].events",
        "'ranges'                                   | 'range'                     | [1].affected[0]",
        "'ranges': [                                | 'ranges': [3,               | [1].affected[0].ranges[0]",
        "{'id'                                      | {'aliases': 'CVE-1', 'id'   | [1].aliases"
      })
  void namesEntryAndFieldOfWhatIsWrong(String right, String wrong, String path) {
    String entry = entry("Debian", "web", INTRODUCED_AND_FIXED);
    String bad = entry.replace(right.replace('\'', '"'), wrong.replace('\'', '"'));
    assertThat(bad).isNotEqualTo(entry);
    InvalidRecordException refused =
        catchThrowableOfType(
            InvalidRecordException.class, () -> OsvFile.read("[" + entry + "," + bad + "]"));
    assertThat(refused.details()).extracting(ErrorDetail::getPath).containsExactly(path);
    assertThat(refused.details()).extracting(ErrorDetail::getMessage).doesNotContain("");
  }

  @Test
  void refusesWhatIsNoJsonAndWhatIsTooLarge() {
    for (String text : List.of("", "[", "\"text\"", "[1]", "{\"vulns\": 3}")) {
      assertThat(catchThrowableOfType(InvalidRecordException.class, () -> OsvFile.read(text)))
          .as(text)
          .isNotNull();
    }
    String large = "[" + " ".repeat(OsvFile.TEXT_BYTES_MAX) + "]";
    assertThat(catchThrowableOfType(InvalidRecordException.class, () -> OsvFile.read(large)))
        .hasMessageContaining("larger than 4194304 bytes");
  }

  private static final String INTRODUCED_AND_FIXED =
      "{\"introduced\": \"0\"}, {\"fixed\": \"1.1\"}";

  private static String entry(String ecosystem, String name, String events) {
    return """
        {"id": "DSA-1", "affected": [{"package": {"ecosystem": "%s", "name": "%s"}, \
        "ranges": [{"type": "ECOSYSTEM", "events": [%s]}]}]}"""
        .formatted(ecosystem, name, events);
  }

  private static Advisory one(String text) {
    return OsvFile.read(text).getFirst();
  }

  private static boolean hits(Advisory advisory, String release, String versions) {
    Optional<String> known = Optional.of(release).filter(text -> !text.isEmpty());
    return advisory.affected().getFirst().hits(PackageFamily.APT, known, versions);
  }
}
