package dev.drydock.orchestrator.control;

import dev.drydock.api.RolloutState;
import java.util.Locale;
import java.util.Optional;

/** What changes the state of a rollout by people's will. Pure. */
public enum RolloutCommand {
  PAUSE,
  RESUME,
  ABORT;

  /**
   * The state that a rollout takes by this command.
   *
   * @param waits whether its time to start has not come
   * @return empty if the state does not allow the command; the state itself if it is so already
   */
  Optional<RolloutState> from(RolloutState state, boolean waits) {
    return switch (this) {
      case PAUSE ->
          switch (state) {
            case Scheduled, Running, Paused -> Optional.of(RolloutState.Paused);
            default -> Optional.empty();
          };
      case RESUME ->
          switch (state) {
            case Scheduled, Running -> Optional.of(state);
            case Paused -> Optional.of(waits ? RolloutState.Scheduled : RolloutState.Running);
            default -> Optional.empty();
          };
      case ABORT ->
          switch (state) {
            case Scheduled, Running, Paused, Aborting -> Optional.of(RolloutState.Aborting);
            case Aborted -> Optional.of(RolloutState.Aborted);
            default -> Optional.empty();
          };
    };
  }

  /** As people write it. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
