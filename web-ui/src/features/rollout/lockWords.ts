import type { Lock } from "@/api/types.gen";
import { absolute } from "@/shared/time";

/** Who has a host, and whether others still wait for a client that is gone. */
export function lockWords(lock: Lock): string {
  const whose = `${lock.holder}: ${lock.reason}`;
  if (lock.state === "Lapsed") {
    return `lapsed lock of ${whose}`;
  }
  if (lock.alive !== false) {
    return `held by ${whose}`;
  }
  const until = lock.excludesUntil === undefined ? "" : ` until about ${absolute(lock.excludesUntil)}`;
  return `held by ${whose}; its client is gone, and it excludes others${until}`;
}
