package dev.drydock.proto;

import com.linkedin.data.message.Message;
import com.linkedin.data.schema.validation.CoercionMode;
import com.linkedin.data.schema.validation.RequiredMode;
import com.linkedin.data.schema.validation.UnrecognizedFieldMode;
import com.linkedin.data.schema.validation.ValidateDataAgainstSchema;
import com.linkedin.data.schema.validation.ValidationOptions;
import com.linkedin.data.schema.validation.ValidationResult;
import com.linkedin.data.template.DataTemplate;
import dev.drydock.api.ErrorDetail;
import java.util.ArrayList;
import java.util.List;

/** Checks a record against its schema and names every fault by field. Stateless. */
public final class Validation {
  private Validation() {}

  /** All faults of a record written by somebody else; unknown fields are faults. */
  public static List<ErrorDetail> strict(DataTemplate<?> record) {
    ValidationOptions options =
        new ValidationOptions(
            RequiredMode.CAN_BE_ABSENT_IF_HAS_DEFAULT,
            CoercionMode.NORMAL,
            UnrecognizedFieldMode.DISALLOW);
    ValidationResult result = ValidateDataAgainstSchema.validate(record, options);
    List<ErrorDetail> faults = new ArrayList<>();
    for (Message message : result.getMessages()) {
      if (message.isError()) {
        faults.add(fault(message));
      }
    }
    return faults;
  }

  private static ErrorDetail fault(Message message) {
    StringBuilder path = new StringBuilder();
    for (Object part : message.getPath()) {
      if (part instanceof Integer index) {
        path.append('[').append(index).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(part);
      }
    }
    return new ErrorDetail()
        .setPath(path.toString())
        .setMessage(String.format(message.getFormat(), message.getArgs()));
  }
}
