package dev.drydock.orchestrator.exits;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says of a test which cells of {@code docs/exits.md} it shows. A parametrised test with {@link
 * Shown} as its source runs once for each of them, so that it cannot claim what it does not do.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(Shows.All.class)
public @interface Shows {
  /** The enum the states are of. */
  Class<? extends Enum<?>> of();

  /** Names in that enum, as the table spells them. */
  String[] states();

  Exit exit();

  /** The state it leads to, or a few words. */
  String end();

  /** Several of them on one test. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface All {
    Shows[] value();
  }
}
