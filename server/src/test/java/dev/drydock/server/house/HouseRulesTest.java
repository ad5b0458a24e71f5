package dev.drydock.server.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The house keeps its rules, and each rule is shown to fail on a class planted for it. */
final class HouseRulesTest {
  private static final String PLANTED = "dev.drydock.server.planted";
  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.drydock");
  private static final JavaClasses BAD = new ClassFileImporter().importPackages(PLANTED);

  static Set<String> names() {
    return rules("dev.drydock").keySet();
  }

  private static Map<String, ArchRule> rules(String root) {
    HouseRules rules = new HouseRules(root);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("coresArePure", rules.coresArePure()),
            Map.entry("coresReadNoClock", rules.coresReadNoClock()),
            Map.entry("restLi", rules.restLiStaysBehindTheDoor()),
            Map.entry("etcd", rules.etcdStaysInTheLockService()),
            Map.entry("temporal", rules.temporalStaysInTheOrchestrator()),
            Map.entry("database", rules.databaseDriverStaysInThePlatform()),
            Map.entry("jetty", rules.jettyStaysInThePlatform()),
            Map.entry("clients", rules.clientsKnowOnlyTheWire()),
            Map.entry("platform", rules.platformKnowsNoRoom()),
            Map.entry("auditor", rules.auditorKnowsNobodyItJudges()),
            Map.entry("server", rules.nobodyKnowsTheServer()),
            Map.entry("circles", rules.noCircles()),
            Map.entry("allow", rules.everyResourceMethodSaysWhoMay()),
            Map.entry("rounds", rules.dutiesAreRepeatedByRounds()),
            Map.entry("paged", rules.everyListIsPaged()),
            Map.entry("nullMarked", rules.everyPackageIsNullMarked())));
  }

  @Test
  void looksAtEveryModule() {
    List<String> packages = HOUSE.stream().map(JavaClass::getPackageName).distinct().toList();
    assertThat(packages)
        .contains(
            "dev.drydock.api",
            "dev.drydock.proto",
            "dev.drydock.platform.http",
            "dev.drydock.lock.core",
            "dev.drydock.lock.etcd",
            "dev.drydock.lock.api",
            "dev.drydock.impact.core",
            "dev.drydock.impact.service",
            "dev.drydock.adapter.staticlist",
            "dev.drydock.orchestrator.jobs",
            "dev.drydock.orchestrator.core.batch",
            "dev.drydock.auditor.core",
            "dev.drydock.cli");
    assertThat(HOUSE).filteredOn(HouseRules::isResource).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("names")
  void keeps(String name) {
    Objects.requireNonNull(rules("dev.drydock").get(name)).allowEmptyShould(false).check(HOUSE);
  }

  /** A rule over several cores is shown to fail on each of them. */
  @ParameterizedTest
  @ValueSource(strings = {"lock.core.ImpureCore", "orchestrator.core.DecidesByRows"})
  void noticesEveryCoreThatIsImpure(String planted) {
    HouseRules rules = new HouseRules(PLANTED);
    for (ArchRule rule : List.of(rules.coresArePure(), rules.coresReadNoClock())) {
      assertThat(rule.evaluate(BAD).getFailureReport().getDetails())
          .as(rule.getDescription())
          .anyMatch(told -> told.contains(PLANTED + "." + planted));
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void noticesWhatIsPlanted(String name) {
    ArchRule rule = Objects.requireNonNull(rules(PLANTED).get(name));
    assertThat(rule.evaluate(BAD).hasViolation()).as("%s finds the planted class", name).isTrue();
  }
}
