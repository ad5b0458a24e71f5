package dev.drydock.lock.core;

/**
 * The generation of everything a grant is judged by. A change of policy bumps it before it is
 * answered, so that no grant judged by the old rules can be committed any more, not even by a
 * grantor that is not the grantor any longer.
 */
@FunctionalInterface
public interface Generation {
  /**
   * Fails every transaction judged before; throws when the store does not answer within its budget.
   */
  void bump();
}
