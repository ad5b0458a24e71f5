package dev.drydock.lock.core;

import java.util.List;

/** Something that decides a pass: the real one, or one with a bug planted. */
interface Decider {
  Decider REAL = GrantorPass::decide;

  List<GrantorDecision> decide(
      GrantorPass.Input input, Admission.Round round, GrantorPass.Limits limits);
}
