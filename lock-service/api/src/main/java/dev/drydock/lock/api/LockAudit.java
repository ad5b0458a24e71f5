package dev.drydock.lock.api;

import dev.drydock.platform.identity.Principal;

/** Writes down who asked for what. */
@FunctionalInterface
interface LockAudit {
  void record(Principal principal, String action, String object, String detailJson);
}
