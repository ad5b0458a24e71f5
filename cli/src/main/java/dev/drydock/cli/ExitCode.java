package dev.drydock.cli;

import dev.drydock.proto.client.CallException;
import java.util.Set;

/** What the process tells its caller. Scripts rely on these numbers: never change one. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = 1;

  /** The command line or a file it names is wrong; nothing was changed. */
  static final int USAGE = 2;

  /** A rule said no: a try for a lock was refused, or an application has no policy at all. */
  static final int REFUSED = 3;

  /** No or wrong token, or a role that may not do this. */
  static final int NOT_AUTHENTICATED = 4;

  static final int CONFLICT = 5;

  /** The rollout ended, but not every host was upgraded; or a lock was lost under its command. */
  static final int DEGRADED = 6;

  static final int TIMED_OUT = 7;

  /** An audit found that an invariant was violated. */
  static final int VIOLATED = 8;

  /** An audit found no violation, but the logs do not show that every invariant was kept. */
  static final int UNKNOWN = 9;

  private ExitCode() {}

  static int of(CallException e) {
    return switch (e.status()) {
      case 400, 413, 422 -> Set.of("NO_POLICY", "INFEASIBLE").contains(e.code()) ? REFUSED : USAGE;
      case 401, 403 -> NOT_AUTHENTICATED;
      case 409, 412 -> CONFLICT;
      case 0 ->
          switch (e.code()) {
            case CallException.TIMED_OUT -> TIMED_OUT;
            case CallException.NO_TOKEN -> NOT_AUTHENTICATED;
            default -> FAILED;
          };
      default -> FAILED;
    };
  }
}
