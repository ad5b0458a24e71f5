package dev.drydock.server;

import java.util.Locale;

/** What a process does of all that the server can do. */
enum ServerRole {
  /** Answers calls under /api. */
  API,
  /** Stands for election and grants hosts while elected. */
  GRANTOR,
  /** Runs workflows and delivers their wake-ups. */
  ORCHESTRATOR;

  /** The word on the command line. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
