package dev.drydock.server.contract;

import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Release;
import java.util.List;

/** One resource as it was recorded, and as later versions of it that forgot or added something. */
final class Berths {
  private Berths() {}

  /** As recorded. */
  @RestLiCollection(name = "berths", namespace = "dev.drydock.api", keyName = "berth")
  static class Recorded extends CollectionResourceTemplate<String, Release> {
    @RestMethod.Get
    @Override
    public Release get(String name) {
      return new Release();
    }

    @Finder("harbour")
    public List<Release> ofHarbour(@QueryParam("harbour") String harbour) {
      return List.of();
    }

    @Action(name = "moor")
    public void moor(@ActionParam("count") int count) {}
  }

  /** Without the get. */
  @RestLiCollection(name = "berths", namespace = "dev.drydock.api", keyName = "berth")
  static final class WithoutGet extends CollectionResourceTemplate<String, Release> {
    @Finder("harbour")
    public List<Release> ofHarbour(@QueryParam("harbour") String harbour) {
      return List.of();
    }

    @Action(name = "moor")
    public void moor(@ActionParam("count") int count) {}
  }

  /** Without the finder. */
  @RestLiCollection(name = "berths", namespace = "dev.drydock.api", keyName = "berth")
  static final class WithoutFinder extends CollectionResourceTemplate<String, Release> {
    @RestMethod.Get
    @Override
    public Release get(String name) {
      return new Release();
    }

    @Action(name = "moor")
    public void moor(@ActionParam("count") int count) {}
  }

  /** Without the action. */
  @RestLiCollection(name = "berths", namespace = "dev.drydock.api", keyName = "berth")
  static final class WithoutAction extends CollectionResourceTemplate<String, Release> {
    @RestMethod.Get
    @Override
    public Release get(String name) {
      return new Release();
    }

    @Finder("harbour")
    public List<Release> ofHarbour(@QueryParam("harbour") String harbour) {
      return List.of();
    }
  }

  /** The finder's parameter has another name. */
  @RestLiCollection(name = "berths", namespace = "dev.drydock.api", keyName = "berth")
  static final class RenamedParameter extends CollectionResourceTemplate<String, Release> {
    @RestMethod.Get
    @Override
    public Release get(String name) {
      return new Release();
    }

    @Finder("harbour")
    public List<Release> ofHarbour(@QueryParam("port") String port) {
      return List.of();
    }

    @Action(name = "moor")
    public void moor(@ActionParam("count") int count) {}
  }

  /** The action's parameter has another type. */
  @RestLiCollection(name = "berths", namespace = "dev.drydock.api", keyName = "berth")
  static final class RetypedParameter extends CollectionResourceTemplate<String, Release> {
    @RestMethod.Get
    @Override
    public Release get(String name) {
      return new Release();
    }

    @Finder("harbour")
    public List<Release> ofHarbour(@QueryParam("harbour") String harbour) {
      return List.of();
    }

    @Action(name = "moor")
    public void moor(@ActionParam("count") String count) {}
  }

  /** More than was recorded, and nothing that anybody has to send. */
  @RestLiCollection(name = "berths", namespace = "dev.drydock.api", keyName = "berth")
  static final class Grown extends CollectionResourceTemplate<String, Release> {
    @RestMethod.Get
    @Override
    public Release get(String name) {
      return new Release();
    }

    @Finder("harbour")
    public List<Release> ofHarbour(
        @QueryParam("harbour") String harbour,
        @QueryParam("free") @Optional("false") boolean free) {
      return List.of();
    }

    @Finder("quay")
    public List<Release> ofQuay(@QueryParam("quay") String quay) {
      return List.of();
    }

    @Action(name = "moor")
    public void moor(@ActionParam("count") int count) {}
  }

  /** Another resource. */
  @RestLiCollection(name = "quays", namespace = "dev.drydock.api", keyName = "quay")
  static final class Quays extends CollectionResourceTemplate<String, Release> {
    @RestMethod.Get
    @Override
    public Release get(String name) {
      return new Release();
    }
  }
}
