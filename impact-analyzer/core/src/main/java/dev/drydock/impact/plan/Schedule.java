package dev.drydock.impact.plan;

/**
 * When each unit begins, in milliseconds from the beginning.
 *
 * @param begins -1 for units that never could
 * @param waitsOn the limit each of these waits on; meaningless for others
 * @param makespan when the last one ends; {@link #TOO_LONG} when it was given up as longer than
 *     allowed
 * @param checks how often a unit was asked whether it fits
 */
record Schedule(long[] begins, int[] waitsOn, long makespan, long checks) {
  static final long TOO_LONG = Long.MAX_VALUE;
}
