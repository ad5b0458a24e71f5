package dev.drydock.platform.http;

import com.linkedin.data.template.RecordTemplate;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a create method: what is sent is not what can be read afterwards. Rest.li knows one record per
 * resource and wraps the body in it unseen; with this annotation the body is judged by the schema
 * of the request instead, and the method takes it by {@code new TicketRequest(body.data())}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface RequestRecord {
  Class<? extends RecordTemplate> value();
}
