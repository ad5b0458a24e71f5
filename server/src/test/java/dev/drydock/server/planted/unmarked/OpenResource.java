package dev.drydock.server.planted.unmarked;

import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.RestLiActions;

/** A resource that does not say who may, in a package that NullAway does not look at. */
@RestLiActions(name = "planted", namespace = "dev.drydock.server.planted")
public final class OpenResource {
  @Action(name = "anybody")
  public void anybody() {}
}
