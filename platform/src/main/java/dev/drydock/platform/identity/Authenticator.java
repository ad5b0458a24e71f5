package dev.drydock.platform.identity;

import java.util.Optional;

/** Knows whose token a token is. Implementations are safe for use by many threads. */
@FunctionalInterface
public interface Authenticator {
  /** The principal of the token; empty for a token nobody has. */
  Optional<Principal> authenticate(String token);
}
