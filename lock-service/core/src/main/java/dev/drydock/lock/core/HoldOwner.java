package dev.drydock.lock.core;

/**
 * Whoever gives out work under batch holds, as break-glass sees it (protocol P4). Every method may
 * be repeated.
 */
public interface HoldOwner {

  /**
   * Called first, while the hold still stands: from now on no work under it is given out, and work
   * under way is not allowed to go on past its lease.
   */
  void bar(String grantId);

  /**
   * Called once all its hosts are quarantined: nothing more is to be done to them, neither forward
   * nor back.
   */
  void broken(String grantId, String reason);
}
