package dev.drydock.adapter.spi;

import java.util.List;

/** An adapter whose every step is the one a test gives it. */
final class FakeAdapter implements SchedulerAdapter {
  interface Step {
    Outcome run(Work work) throws InterruptedException;
  }

  /** Runs when the inventory is read. */
  Runnable onObserve = () -> {};

  private final Step step;

  FakeAdapter(Step step) {
    this.step = step;
  }

  @Override
  public String scheduler() {
    return "static";
  }

  @Override
  public String source() {
    return "static";
  }

  @Override
  public Outcome freeze(Work work) throws InterruptedException {
    return step.run(work);
  }

  @Override
  public Outcome drain(Work work) throws InterruptedException {
    return step.run(work);
  }

  @Override
  public Outcome recover(Work work) throws InterruptedException {
    return step.run(work);
  }

  @Override
  public Outcome unfreeze(Work work) throws InterruptedException {
    return step.run(work);
  }

  @Override
  public Observation observe() {
    onObserve.run();
    return new Observation(List.of(), List.of());
  }
}
