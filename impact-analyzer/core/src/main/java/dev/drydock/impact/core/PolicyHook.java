package dev.drydock.impact.core;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a team runs around the work on its hosts: pre hooks before the drain and after it, post
 * hooks before the recovery and after it.
 *
 * @param name also names the topic of those who do it
 * @param timeout how long it may take in all, however often it is asked again
 * @param order pre hooks run from the lowest to the highest, post hooks the other way round; those
 *     of one order run at the same time
 * @param params what those who do it are told, by name
 * @param of of a post hook, the pre hook of the same policy whose state it is given and whose
 *     effect it takes back; it has the order of that
 */
public record PolicyHook(
    String name,
    Stage stage,
    Scope scope,
    Duration timeout,
    int order,
    Map<String, String> params,
    Optional<String> of) {
  /** Holds for hooks that do not say. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(30);

  public PolicyHook {
    params = Map.copyOf(params);
  }

  /** When it runs. */
  public enum Stage {
    BEFORE_UNDEPLOY("BeforeUndeploy"),
    AFTER_UNDEPLOY("AfterUndeploy"),
    BEFORE_DEPLOY("BeforeDeploy"),
    AFTER_DEPLOY("AfterDeploy");

    private final String word;

    Stage(String word) {
      this.word = word;
    }

    /** As people and rows spell it. */
    public String word() {
      return word;
    }

    /** The stage of a word. */
    public static Stage of(String word) {
      return Arrays.stream(values())
          .filter(stage -> stage.word.equals(word))
          .findFirst()
          .orElseThrow();
    }

    /** Whether it leads away from service. */
    public boolean pre() {
      return this == BEFORE_UNDEPLOY || this == AFTER_UNDEPLOY;
    }

    /** The stage in which what was done in this one is taken back: the first last. */
    public Stage mirror() {
      return switch (this) {
        case BEFORE_UNDEPLOY -> AFTER_DEPLOY;
        case AFTER_UNDEPLOY -> BEFORE_DEPLOY;
        case BEFORE_DEPLOY -> AFTER_UNDEPLOY;
        case AFTER_DEPLOY -> BEFORE_UNDEPLOY;
      };
    }
  }

  /** Whom it is called for. */
  public enum Scope {
    /** Each instance of the policy's applications. */
    INSTANCE,
    /** Each host with any of them. */
    HOST,
    /** All such hosts of a batch at once. */
    BATCH;

    /** As people and rows spell it. */
    public String word() {
      return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
    }
  }
}
