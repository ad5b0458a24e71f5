package dev.drydock.platform.identity;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The roles that may call a resource method. A method without it is denied to everybody; {@link
 * Role#ADMIN} is always allowed.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Allow {
  Role[] value();
}
