package dev.drydock.lock.etcd;

/** Where a test comes between this process and etcd; production uses {@link #NONE}. */
public interface TransactionHook {
  TransactionHook NONE = new TransactionHook() {};

  /** Called before a transaction is sent; may block, as a paused process would. */
  default void before(String transaction) {}

  /** Called when the answer is here; throws {@link UnknownOutcomeException} to lose it. */
  default void after(String transaction) {}
}
