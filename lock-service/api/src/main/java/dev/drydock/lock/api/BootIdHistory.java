package dev.drydock.lock.api;

import org.jdbi.v3.core.Jdbi;

/**
 * Remembers under which boot id a host was when its FleetLock client asked, as far as it was known:
 * a report from before that does not tell of what happened since it was made.
 */
@FunctionalInterface
interface BootIdHistory {
  /** The boot id as observed now; whoever judges the hold later compares it. */
  void remember(String host, String ticket);

  /** In the table {@code fleetlock_boots}, one row for each host. */
  static BootIdHistory in(Jdbi jdbi) {
    return (host, ticket) ->
        jdbi.useHandle(
            handle ->
                handle
                    .createUpdate(
                        """
                        INSERT INTO fleetlock_boots (host, ticket, boot_id, told, mark)
                        SELECT name, :ticket, boot_id, boot_told,
                          COALESCE((SELECT max(mark) FROM marks), 0)
                        FROM hosts WHERE name = :host
                        ON CONFLICT (host) DO UPDATE
                        SET ticket = excluded.ticket, boot_id = excluded.boot_id,
                          told = excluded.told, mark = excluded.mark
                        """)
                    .bind("host", host)
                    .bind("ticket", ticket)
                    .execute());
  }
}
