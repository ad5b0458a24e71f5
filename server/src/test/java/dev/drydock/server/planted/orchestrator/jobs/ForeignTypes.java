package dev.drydock.server.planted.orchestrator.jobs;

import com.linkedin.data.DataMap;
import dev.drydock.server.planted.orchestrator.store.Circle;
import dev.drydock.server.planted.server.Root;
import io.etcd.jetcd.ByteSequence;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A room that speaks Rest.li, etcd, Jetty and JDBC itself, knows the server, and goes in a circle.
 */
public final class ForeignTypes {
  DataMap map = new DataMap();
  ByteSequence bytes = ByteSequence.EMPTY;
  @Nullable Server server;
  @Nullable PGConnection connection;
  @Nullable Circle circle;
  @Nullable Root root;
}
