import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;

/**
 * Ends a workflow behind the server's back, as somebody with access to Temporal could: TARGET
 * NAMESPACE WORKFLOW. By gRPC, as Temporal's HTTP API knows no workflow with a slash in its id.
 */
class LoseRun {
  public static void main(String[] words) {
    var options = WorkflowServiceStubsOptions.newBuilder().setTarget(words[0]).build();
    WorkflowServiceStubs stubs = WorkflowServiceStubs.newServiceStubs(options);
    try {
      var namespace = WorkflowClientOptions.newBuilder().setNamespace(words[1]).build();
      WorkflowClient.newInstance(stubs, namespace)
          .newUntypedWorkflowStub(words[2])
          .terminate("lost by the soak");
    } finally {
      stubs.shutdownNow();
    }
  }
}
