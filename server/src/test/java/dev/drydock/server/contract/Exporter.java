package dev.drydock.server.contract;

import com.linkedin.data.schema.DataSchemaResolver;
import com.linkedin.restli.common.RestConstants;
import com.linkedin.restli.internal.server.model.ResourceModel;
import com.linkedin.restli.internal.server.model.ResourceModelEncoder;
import com.linkedin.restli.internal.server.model.RestLiApiBuilder;
import com.linkedin.restli.restspec.ActionSchema;
import com.linkedin.restli.restspec.ActionSchemaArray;
import com.linkedin.restli.restspec.ActionsSetSchema;
import com.linkedin.restli.restspec.ResourceSchema;
import com.linkedin.restli.restspec.RestSpecCodec;
import com.linkedin.restli.server.RestLiConfig;
import com.linkedin.restli.tools.compatibility.CompatibilityUtil;
import com.linkedin.restli.tools.snapshot.gen.SnapshotGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes the wire contract of resources down: the IDL of each in {@code idl/}, each with all
 * schemas it uses in {@code snapshot/}. Rest.li's own exporter needs a doclet API that the JDK has
 * no more.
 *
 * <p>Records that travel outside the signatures of resources (a body judged by {@code @Takes}, an
 * error's details, what is kept in a column) are held by one more snapshot: that of a resource that
 * nobody serves, whose actions answer with every schema there is.
 *
 * @param resources the classes that offer resources
 * @param pegasus the folder of the schemas
 */
record Exporter(Collection<Class<?>> resources, Path pegasus) {
  private static final String NAMESPACE = "dev.drydock.api";
  private static final String ALL_SCHEMAS = "records";

  /** Writes all files below {@code target}. */
  void write(Path target) throws IOException {
    Path idl = Files.createDirectories(target.resolve("idl"));
    Path snapshot = Files.createDirectories(target.resolve("snapshot"));
    RestLiConfig config = new RestLiConfig();
    resources.forEach(resource -> config.addResourceClassNames(resource.getName()));
    DataSchemaResolver schemas = CompatibilityUtil.getDataSchemaResolver(pegasus.toString());
    ResourceModelEncoder encoder =
        new ResourceModelEncoder(new ResourceModelEncoder.NullDocsProvider());
    for (ResourceModel model : new RestLiApiBuilder(config).build().values()) {
      ResourceSchema schema = encoder.buildResourceSchema(model);
      Path file = idl.resolve(name(schema) + RestConstants.RESOURCE_MODEL_FILENAME_EXTENSION);
      try (OutputStream out = Files.newOutputStream(file)) {
        new RestSpecCodec().writeResourceSchema(schema, out);
      }
      new SnapshotGenerator(schema, schemas).writeFile(snapshot.toFile(), name(schema));
    }
    ResourceSchema all = everySchema();
    new SnapshotGenerator(all, schemas).writeFile(snapshot.toFile(), name(all));
  }

  private ResourceSchema everySchema() throws IOException {
    ActionSchemaArray actions = new ActionSchemaArray();
    for (String schema : schemas()) {
      actions.add(new ActionSchema().setName(schema).setReturns(schema));
    }
    return new ResourceSchema()
        .setName(ALL_SCHEMAS)
        .setNamespace(NAMESPACE)
        .setPath("/" + ALL_SCHEMAS)
        .setDoc("Not served: holds every schema, also those that no resource's signature names.")
        .setActionsSet(new ActionsSetSchema().setActions(actions));
  }

  /** Full names, by the place of their files. */
  private List<String> schemas() throws IOException {
    try (Stream<Path> files = Files.walk(pegasus)) {
      return files
          .map(file -> pegasus.relativize(file).toString())
          .filter(file -> file.endsWith(".pdl"))
          .map(file -> file.substring(0, file.length() - ".pdl".length()).replace('/', '.'))
          .sorted()
          .toList();
    }
  }

  private static String name(ResourceSchema schema) {
    return schema.getNamespace() + "." + schema.getName();
  }
}
