package dev.drydock.impact.service.api;

import com.linkedin.data.template.StringArray;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.ErrorDetailArray;
import dev.drydock.api.PolicyDocument;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.policy.PolicyParser;
import dev.drydock.impact.policy.PolicyParser.Parsed;
import dev.drydock.impact.service.PolicyStore;
import dev.drydock.impact.service.PolicyWarnings;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;

/** The policies of all teams, each in its newest version. */
@RestLiCollection(name = "policies", namespace = "dev.drydock.api", keyName = "policy")
public final class PoliciesResource extends CollectionResourceTemplate<String, PolicyDocument> {
  private final PolicyStore policies;
  private final PolicyWarnings warnings;

  public PoliciesResource(PolicyStore policies, PolicyWarnings warnings) {
    this.policies = policies;
    this.warnings = warnings;
  }

  /**
   * Puts a policy in force as the next version of the name in its YAML; the same text again is the
   * same version.
   */
  @Allow(Role.OWNER)
  @RestMethod.Create
  @Override
  public CreateResponse create(PolicyDocument document) {
    return new CreateResponse(policies.apply(Caller.of(getContext()), document.getYaml()).name());
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public PolicyDocument get(String name) {
    FieldMask fieldMask = Projection.of(getContext());
    boolean warned = fieldMask.wants("warnings");
    PolicyDocument policy =
        policies
            .find(name, warned ? fieldMask.and("yaml") : fieldMask)
            .orElseThrow(
                () -> ApiException.notFound("UNKNOWN_POLICY", "there is no policy named " + name));
    Parsed parsed = PolicyParser.parse(warned ? policy.getYaml() : "");
    return parsed.policy().isEmpty()
        ? policy
        : policy.setWarnings(new ErrorDetailArray(warnings.of(parsed)));
  }

  /** All policies by name, in pages of at most 1000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<PolicyDocument, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> policies.page(window, fieldMask));
  }

  /**
   * Reads a policy without storing it; answers what was read, with what would have no effect, or
   * all faults.
   */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Action(name = "lint", resourceLevel = ResourceLevel.COLLECTION)
  public PolicyDocument lint(@ActionParam("yaml") String yaml) {
    Parsed parsed = policies.lint(yaml);
    Policy policy = parsed.policy().orElseThrow();
    return new PolicyDocument()
        .setYaml(yaml)
        .setName(policy.name())
        .setTeam(policy.team())
        .setApplications(new StringArray(policy.applications()))
        .setWarnings(new ErrorDetailArray(warnings.of(parsed)));
  }
}
