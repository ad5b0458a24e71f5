package dev.drydock.lock.api;

import org.jdbi.v3.core.Jdbi;

/** Remembers under which boot id a host was when its FleetLock client asked. */
@FunctionalInterface
interface Boots {
  /** The boot id as observed now; whoever judges the hold later compares it. */
  void remember(String host, String ticket);

  /** In the table {@code fleetlock_boots}, one row for each host. */
  static Boots in(Jdbi jdbi) {
    return (host, ticket) ->
        jdbi.useHandle(
            handle ->
                handle
                    .createUpdate(
                        """
                        INSERT INTO fleetlock_boots (host, ticket, boot_id)
                        SELECT name, :ticket, boot_id FROM hosts WHERE name = :host
                        ON CONFLICT (host) DO UPDATE
                        SET ticket = excluded.ticket, boot_id = excluded.boot_id
                        """)
                    .bind("host", host)
                    .bind("ticket", ticket)
                    .execute());
  }
}
