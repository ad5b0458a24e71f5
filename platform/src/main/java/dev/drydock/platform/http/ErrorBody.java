package dev.drydock.platform.http;

import dev.drydock.api.ErrorDetail;
import dev.drydock.proto.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** The one shape of every error on the wire. */
record ErrorBody(int status, String code, String message, List<ErrorDetail> details) {

  static ErrorBody of(HttpStatus status, String code, String message) {
    return new ErrorBody(status.code(), code, message, List.of());
  }

  static ErrorBody of(ApiException error) {
    return new ErrorBody(error.status().code(), error.code(), error.message(), error.details());
  }

  String json() {
    return Json.writeTree(
        Map.of("status", status, "code", code, "message", message, "details", details));
  }

  /** Answers the request with this error. */
  void write(Response response, Callback callback) {
    if (!UnreadBody.read(response.getRequest())) {
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
    }
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.write(true, ByteBuffer.wrap(json().getBytes(StandardCharsets.UTF_8)), callback);
  }
}
