package dev.drydock.proto;

import com.linkedin.data.it.Builder;
import com.linkedin.data.it.IterationOrder;
import com.linkedin.data.message.Message;
import com.linkedin.data.schema.DataSchema;
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
    List<ErrorDetail> faults = numberFaults(record);
    // Coercion would cut a number down to its type in silence, so those are looked at before.
    ValidationResult result = ValidateDataAgainstSchema.validate(record, options);
    for (Message message : result.getMessages()) {
      if (message.isError()) {
        faults.add(fault(message));
      }
    }
    return faults;
  }

  private static List<ErrorDetail> numberFaults(DataTemplate<?> record) {
    List<ErrorDetail> faults = new ArrayList<>();
    Builder.create(record, IterationOrder.PRE_ORDER)
        .iterate(
            element -> {
              DataSchema schema = element.getSchema();
              if (schema != null
                  && element.getValue() instanceof Number number
                  && !fits(number, schema.getDereferencedType())) {
                faults.add(
                    new ErrorDetail()
                        .setPath(path(element.path()))
                        .setMessage("is " + number + ", must be a whole number in range"));
              }
            });
    return faults;
  }

  private static boolean fits(Number number, DataSchema.Type type) {
    boolean whole = number instanceof Integer || number instanceof Long;
    return switch (type) {
      case INT -> whole && number.longValue() == number.intValue();
      case LONG -> whole;
      default -> true;
    };
  }

  private static ErrorDetail fault(Message message) {
    String text = String.format(message.getFormat(), message.getArgs());
    return new ErrorDetail().setPath(path(message.getPath())).setMessage(plain(text));
  }

  private static String path(Object[] parts) {
    StringBuilder path = new StringBuilder();
    for (Object part : parts) {
      if (part instanceof Integer index) {
        path.append('[').append(index).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(part);
      }
    }
    return path.toString();
  }

  /** The library's words for people who do not know its insides. */
  private static String plain(String text) {
    if (text.startsWith("field is required")) {
      return "is required";
    }
    if (text.startsWith("unrecognized field")) {
      return "is not a known field";
    }
    return text.replace(" cannot be coerced to ", " is not of type ");
  }
}
