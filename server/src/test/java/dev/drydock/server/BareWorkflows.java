package dev.drydock.server;

import io.temporal.activity.Activity;
import io.temporal.activity.ActivityInterface;
import io.temporal.activity.ActivityMethod;
import io.temporal.activity.ActivityOptions;
import io.temporal.client.ActivityCompletionClient;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactory;
import io.temporal.worker.WorkerFactoryOptions;
import io.temporal.worker.WorkerOptions;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * What Temporal alone does of it: workflows that do nothing but wait for as many activities as a
 * host has jobs, each completed by somebody else at once.
 */
final class BareWorkflows implements AutoCloseable {
  static final int JOBS = 5;

  /** A workflow of nothing but activities. */
  @WorkflowInterface
  public interface Bare {
    /** Ends when all activities were completed. */
    @WorkflowMethod
    void run();
  }

  /** One that somebody else completes. */
  @ActivityInterface
  public interface Elsewhere {
    /** Answers the number it is given. */
    @ActivityMethod
    int done(int number);
  }

  /** One activity after the other. */
  public static final class BareImpl implements Bare {
    private final Elsewhere elsewhere =
        Workflow.newActivityStub(
            Elsewhere.class,
            ActivityOptions.newBuilder().setStartToCloseTimeout(Duration.ofMinutes(1)).build());

    @Override
    public void run() {
      for (int i = 0; i < JOBS; i++) {
        elsewhere.done(i);
      }
    }
  }

  private final String queue = "bare-" + UUID.randomUUID();
  private final WorkflowServiceStubs stubs;
  private final WorkflowClient client;
  private final WorkerFactory factory;
  private final ExecutorService others = Executors.newVirtualThreadPerTaskExecutor();

  BareWorkflows(String target) {
    stubs =
        WorkflowServiceStubs.newServiceStubs(
            WorkflowServiceStubsOptions.newBuilder().setTarget(target).build());
    client = WorkflowClient.newInstance(stubs);
    factory =
        WorkerFactory.newInstance(
            client, WorkerFactoryOptions.newBuilder().setUsingVirtualWorkflowThreads(true).build());
    Worker worker =
        factory.newWorker(queue, WorkerOptions.newBuilder().setUsingVirtualThreads(true).build());
    worker.registerWorkflowImplementationTypes(BareImpl.class);
    ActivityCompletionClient completions = client.newActivityCompletionClient();
    worker.registerActivitiesImplementations(
        (Elsewhere)
            number -> {
              byte[] token = Activity.getExecutionContext().getTaskToken();
              Activity.getExecutionContext().doNotCompleteOnReturn();
              others.execute(() -> completions.complete(token, number));
              return number;
            });
    factory.start();
  }

  /** Runs so many workflows, at most so many at once, to their end. */
  void run(int workflows, int atOnce) throws InterruptedException {
    Semaphore free = new Semaphore(atOnce);
    CountDownLatch ended = new CountDownLatch(workflows);
    for (int i = 0; i < workflows; i++) {
      free.acquire();
      others.execute(
          () -> {
            client
                .newWorkflowStub(
                    Bare.class, WorkflowOptions.newBuilder().setTaskQueue(queue).build())
                .run();
            free.release();
            ended.countDown();
          });
    }
    ended.await();
  }

  @Override
  public void close() {
    factory.shutdownNow();
    others.shutdownNow();
    stubs.shutdownNow();
  }
}
