package dev.drydock.platform.http;

import com.linkedin.parseq.Engine;
import com.linkedin.parseq.EngineBuilder;
import com.linkedin.restli.internal.server.model.ResourceModel;
import com.linkedin.restli.server.ErrorResponseFormat;
import com.linkedin.restli.server.RestLiConfig;
import com.linkedin.restli.server.RestLiServer;
import com.linkedin.restli.server.resources.ResourceFactory;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Sets Rest.li up: which resources, which filters, and no word about its insides in an error. */
final class RestLiEngine implements AutoCloseable {
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("restli-timer").factory());
  private final Engine engine =
      new EngineBuilder().setTaskExecutor(scheduler).setTimerScheduler(scheduler).build();
  private final RestLiServer server;

  RestLiEngine(Resources resources) {
    RestLiConfig config = new RestLiConfig();
    resources.classes().forEach(resource -> config.addResourceClassNames(resource.getName()));
    config.setServerNodeUri(URI.create("/api"));
    config.addFilter(new AccessFilter(), new StrictFilter(), new SchemaFilter());
    config.setErrorResponseFormat(ErrorResponseFormat.MESSAGE_AND_SERVICECODE);
    config.setInternalErrorMessage("internal error");
    server = new RestLiServer(config, factory(resources), engine);
  }

  RestLiServer server() {
    return server;
  }

  @Override
  public void close() {
    engine.shutdown();
    scheduler.shutdownNow();
  }

  private static ResourceFactory factory(Resources resources) {
    return new ResourceFactory() {
      @Override
      public void setRootResources(Map<String, ResourceModel> roots) {
        // The resources are made by their rooms; the model adds nothing.
      }

      @Override
      public <R> R create(Class<R> resource) {
        return resources.create(resource);
      }
    };
  }
}
