package dev.drydock.server.house;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.RestLiActions;
import com.linkedin.restli.server.annotations.RestLiAssociation;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestLiSimpleResource;
import com.linkedin.restli.server.annotations.RestMethod;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.drydock.platform.http.Unpaged;
import dev.drydock.platform.identity.Allow;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * What may know what, for all classes under one root package, so that the same rules can be shown
 * to fail on planted ones.
 */
public record HouseRules(String root) {
  private static final Set<String> REPEATING =
      Set.of("scheduleAtFixedRate", "scheduleWithFixedDelay");
  private static final Set<String> CLOCK_READERS =
      Set.of("now", "currentTimeMillis", "nanoTime", "systemUTC", "systemDefaultZone", "random");

  /**
   * The cores: records in, records out; the analyzer's speaks in verdicts of the queue's. Immutable
   * collections are as pure as those of Java.
   */
  ArchRule coresArePure() {
    return CompositeArchRule.of(knowsOnly("lock.core.."))
        .and(knowsOnly("impact.core..", "lock.core.."))
        .and(knowsOnly("impact.plan..", "impact.core..", "lock.core.."))
        .and(knowsOnly("orchestrator.core..", "impact.core..", "lock.core.."))
        .and(knowsOnly("auditor.core.."))
        .as("the cores are pure");
  }

  private ArchRule knowsOnly(String core, String... others) {
    String[] known = Stream.of(others).map(this::in).toArray(String[]::new);
    return classes()
        .that()
        .resideInAPackage(in(core))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                    in(core),
                    "org.pcollections",
                    "java.lang",
                    "java.lang.annotation",
                    "java.lang.invoke",
                    "java.lang.runtime",
                    "java.math",
                    "java.time..",
                    "java.util",
                    "java.util.function",
                    "java.util.regex",
                    "java.util.stream",
                    "org.jspecify.annotations")
                .or(resideInAnyPackage(known))
                .or(describe("are primitives or their arrays", JavaClass::isPrimitive))
                .or(describe("are arrays", JavaClass::isArray)));
  }

  /** The cores get the time as a field, and randomness not at all. */
  ArchRule coresReadNoClock() {
    return noClasses()
        .that()
        .resideInAnyPackage(
            in("lock.core.."),
            in("impact.core.."),
            in("impact.plan.."),
            in("orchestrator.core.."),
            in("auditor.core.."))
        .should()
        .accessTargetWhere(
            describe(
                "reads a clock or dice", (JavaAccess<?> access) -> readsClock(access.getTarget())));
  }

  private static boolean readsClock(AccessTarget target) {
    String owner = target.getOwner().getName();
    boolean standard = owner.startsWith("java.");
    return owner.equals("java.util.Random")
        || owner.equals("java.util.UUID")
        || owner.equals("java.lang.Thread")
        || (standard && CLOCK_READERS.contains(target.getName()));
  }

  /**
   * Rest.li is archived upstream: replacing it must be one module's work. Reading the lists and
   * maps of a record by the methods of java.util is no use of Rest.li, making one is.
   */
  ArchRule restLiStaysBehindTheDoor() {
    return classes()
        .that()
        .resideOutsideOfPackages(
            in("proto.."), in("api.."), in("platform.."), in("..api.."), in("..client.."))
        .should(
            new ArchCondition<>("not use com.linkedin themselves") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                type.getDirectDependenciesFromSelf().stream()
                    .filter(use -> use.getTargetClass().getName().startsWith("com.linkedin."))
                    .filter(use -> !readsCollection(use))
                    .forEach(
                        use ->
                            events.add(SimpleConditionEvent.violated(use, use.getDescription())));
              }
            });
  }

  private static boolean readsCollection(Dependency use) {
    JavaClass target = use.getTargetClass();
    boolean collection =
        target.isAssignableTo(Collection.class) || target.isAssignableTo(Map.class);
    return collection && use.getDescription().contains(" calls method <");
  }

  ArchRule etcdStaysInTheLockService() {
    return onlyIn("io.etcd..", in("lock.etcd.."));
  }

  ArchRule temporalStaysInTheOrchestrator() {
    return onlyIn("io.temporal..", in("orchestrator.."));
  }

  ArchRule databaseDriverStaysInThePlatform() {
    return onlyIn("org.postgresql..", in("platform.store.."));
  }

  ArchRule jettyStaysInThePlatform() {
    return onlyIn("org.eclipse.jetty..", in("platform.http.."));
  }

  /**
   * Whoever acts on hosts or talks to people speaks HTTP, also when all runs in one process. What
   * plans without a server is pure, or reads files, and the command line calls the same.
   */
  ArchRule clientsKnowOnlyTheWire() {
    DescribedPredicate<JavaClass> ours = resideInAnyPackage(in(".."));
    String[] offline = {
      in("impact.core.."), in("impact.plan.."), in("impact.policy.."), in("impact.fleet..")
    };
    return noClasses()
        .that()
        .resideInAnyPackage(in("cli.."), in("adapter.."))
        .should()
        .dependOnClassesThat(
            ours.and(
                resideOutsideOfPackages(in("cli.."), in("adapter.."), in("api.."), in("proto.."))
                    .and(resideOutsideOfPackages(offline))))
        .as("command line and adapters know only the wire");
  }

  /** Everything may know the platform; the platform knows only the wire records. */
  ArchRule platformKnowsNoRoom() {
    return noClasses()
        .that()
        .resideInAPackage(in("platform.."))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(in(".."))
                .and(resideOutsideOfPackages(in("platform.."), in("api.."), in("proto.."))));
  }

  /** Whoever recomputes what others decided shares nothing with them. */
  ArchRule auditorKnowsNobodyItJudges() {
    return noClasses()
        .that()
        .resideInAPackage(in("auditor.."))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(in(".."))
                .and(
                    resideOutsideOfPackages(
                        in("auditor.."), in("platform.."), in("api.."), in("proto.."))));
  }

  /** The composition root is the only place that knows every module; nobody knows it. */
  ArchRule nobodyKnowsTheServer() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(in("server.."))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(in("server.."));
  }

  /** Rooms and their packages form no circles; a room's api package counts as part of it. */
  ArchRule noCircles() {
    return slices().matching(root + ".(*).(*)..").should().beFreeOfCycles();
  }

  /** A method without {@link Allow} is denied to everybody: then why is it there. */
  ArchRule everyResourceMethodSaysWhoMay() {
    return methods()
        .that(describe("are offered by resources", HouseRules::isOffered))
        .should()
        .beAnnotatedWith(Allow.class);
  }

  /** A list without pages is one day a list that is cut off, or too long to be answered. */
  ArchRule everyListIsPaged() {
    return methods()
        .that(describe("answer lists", HouseRules::answersList))
        .should(
            new ArchCondition<>("take a PagingContext and answer a CollectionResult") {
              @Override
              public void check(JavaMethod method, ConditionEvents events) {
                boolean paged =
                    method.getParameters().stream()
                            .anyMatch(one -> one.isAnnotatedWith(PagingContextParam.class))
                        && method.getRawReturnType().isEquivalentTo(CollectionResult.class);
                events.add(
                    new SimpleConditionEvent(
                        method, paged, method.getFullName() + " answers a list without pages"));
              }
            });
  }

  private static boolean answersList(JavaMethod method) {
    boolean list =
        method.isAnnotatedWith(Finder.class)
            || method.isAnnotatedWith(RestMethod.GetAll.class)
            || method.getName().equals("getAll");
    return list && isOffered(method) && !method.isAnnotatedWith(Unpaged.class);
  }

  public static boolean isResource(JavaClass type) {
    return type.isAnnotatedWith(RestLiCollection.class)
        || type.isAnnotatedWith(RestLiSimpleResource.class)
        || type.isAnnotatedWith(RestLiActions.class)
        || type.isAnnotatedWith(RestLiAssociation.class);
  }

  private static boolean isOffered(JavaMethod method) {
    return isResource(method.getOwner())
        && method.getModifiers().contains(JavaModifier.PUBLIC)
        && !method.getModifiers().contains(JavaModifier.STATIC)
        && !method.getModifiers().contains(JavaModifier.SYNTHETIC);
  }

  /** An executor of the JDK drops a duty of which one round throws, for good and in silence. */
  ArchRule dutiesAreRepeatedByRounds() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(in("platform.rounds.."))
        .should()
        .accessTargetWhere(
            describe(
                "repeats a duty by an executor",
                (JavaAccess<?> access) -> REPEATING.contains(access.getTarget().getName())));
  }

  /** NullAway looks only at marked packages. */
  ArchRule everyPackageIsNullMarked() {
    return classes()
        .that()
        .resideOutsideOfPackage(in("api"))
        .should(
            new ArchCondition<>("be in a package marked @NullMarked") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                boolean marked =
                    type.getPackage()
                        .tryGetPackageInfo()
                        .filter(info -> info.isAnnotatedWith(NullMarked.class))
                        .isPresent();
                events.add(
                    new SimpleConditionEvent(
                        type, marked, type.getPackageName() + " has no @NullMarked package-info"));
              }
            });
  }

  private ArchRule onlyIn(String foreign, String... places) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(places)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(foreign);
  }

  private String in(String name) {
    return name.startsWith("..") ? root + name : root + "." + name;
  }
}
