package dev.drydock.orchestrator.store;

import java.util.OptionalLong;

/** The beat by which both stores are kept of one time (protocol P10), for the grantor. */
public interface Beating {
  /** Without any. */
  Beating NONE =
      new Beating() {
        @Override
        public boolean agree() {
          return true;
        }

        @Override
        public OptionalLong next() {
          return OptionalLong.empty();
        }

        @Override
        public void kept(long beat, long generation) {}
      };

  /** Whether both stores are of one time, and nothing is being recovered. */
  boolean agree();

  /** Takes the next beat. */
  OptionalLong next();

  /** The other store has it, written under this generation of what grants are judged by. */
  void kept(long beat, long generation);
}
