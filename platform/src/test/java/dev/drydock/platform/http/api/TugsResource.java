package dev.drydock.platform.http.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutRequest;
import dev.drydock.platform.http.RequestRecord;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;

/** What is sent is not what could be read. */
@RestLiCollection(name = "tugs", namespace = "dev.drydock.test", keyName = "name")
public final class TugsResource extends CollectionResourceTemplate<String, Rollout> {
  @Override
  @Allow(Role.OPERATOR)
  @RequestRecord(RolloutRequest.class)
  public CreateResponse create(Rollout body) {
    RolloutRequest request = new RolloutRequest(body.data());
    return new CreateResponse(
        request.getRelease() + "-" + request.getHosts().size() + "-" + request.getMode(),
        HttpStatus.S_201_CREATED);
  }
}
