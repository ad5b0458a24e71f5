package dev.drydock.orchestrator.store;

import java.util.OptionalLong;
import org.jdbi.v3.core.Handle;

/** The beat by which both stores are kept of one time (protocol P10), for the grantor. */
public interface GrantorBeat {
  /** Without any. */
  GrantorBeat NONE =
      new GrantorBeat() {
        @Override
        public boolean agree() {
          return true;
        }

        @Override
        public OptionalLong next() {
          return OptionalLong.empty();
        }

        @Override
        public boolean stands(Handle handle) {
          return true;
        }

        @Override
        public void took(long beat) {}

        @Override
        public void kept(long beat, long generation) {}
      };

  /** Whether both stores are of one time, and nothing is being recovered. */
  boolean agree();

  /** Takes the next beat, where the last one that this process saw is still there. */
  OptionalLong next();

  /** Whether that is so as the transaction sees it, and nothing is being recovered. */
  boolean stands(Handle handle);

  /** A beat was taken with a grant, and is committed. */
  void took(long beat);

  /** The other store has it, written under this generation of what grants are judged by. */
  void kept(long beat, long generation);
}
