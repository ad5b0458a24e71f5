package dev.drydock.adapter.staticlist;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one JSON object and notes every fault with its path; goes on with empty
 * values.
 */
final class JsonFields {
  private final String path;
  private final Map<?, ?> map;
  private final List<String> faults;
  private final Set<String> read = new TreeSet<>();

  JsonFields(String path, @Nullable Object value, List<String> faults) {
    this.path = path;
    this.faults = faults;
    if (value instanceof Map<?, ?> object) {
      this.map = object;
    } else {
      this.map = Map.of();
      faults.add(path + ": must be an object");
    }
  }

  String text(String name) {
    if (get(name) instanceof String text && !text.isBlank()) {
      return text;
    }
    faults.add(at(name) + ": must be a text that is not empty");
    return "";
  }

  /** {@code otherwise} where there is none. */
  String text(String name, String otherwise) {
    return get(name) == null ? otherwise : text(name);
  }

  int port(String name) {
    if (get(name) instanceof Number number && number.intValue() > 0 && number.intValue() < 65536) {
      return number.intValue();
    }
    faults.add(at(name) + ": must be a port, 1 to 65535");
    return 0;
  }

  /** A whole number from 1 on; {@code otherwise} where there is none. */
  int whole(String name, int otherwise, int most) {
    Object value = get(name);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Integer number && number > 0 && number <= most) {
      return number;
    }
    faults.add(at(name) + ": must be a whole number from 1 to " + most);
    return otherwise;
  }

  JsonFields object(String name) {
    return new JsonFields(at(name), get(name), faults);
  }

  /**
   * An entry of a list, and what is wrong with it: whether the others can be used is not for it to
   * say.
   */
  record Entry<T>(String path, T value, List<String> faults) {}

  <T> List<Entry<T>> entries(String name, Function<JsonFields, T> reader) {
    List<Entry<T>> entries = new ArrayList<>();
    if (get(name) instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        List<String> own = new ArrayList<>();
        String place = at(name) + "[" + i + "]";
        entries.add(new Entry<>(place, reader.apply(new JsonFields(place, list.get(i), own)), own));
      }
    } else {
      faults.add(at(name) + ": must be a list");
    }
    return entries;
  }

  /** A text that passes; {@code must} says what it has to be. */
  String text(String name, Predicate<String> passes, String must) {
    String text = text(name);
    if (!text.isEmpty() && !passes.test(text)) {
      faults.add(at(name) + ": must be " + must + ", not '" + text + "'");
    }
    return text;
  }

  Map<String, String> texts(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    JsonFields object = object(name);
    object
        .map
        .keySet()
        .forEach(key -> texts.put(String.valueOf(key), object.text(String.valueOf(key))));
    return texts;
  }

  void fault(String name, String fault) {
    faults.add(at(name) + ": " + fault);
  }

  /** Called last: what was not asked for is nothing this program knows. */
  void noMore() {
    for (Object name : map.keySet()) {
      if (!read.contains(String.valueOf(name))) {
        faults.add(at(String.valueOf(name)) + ": unknown field; known are " + read);
      }
    }
  }

  private @Nullable Object get(String name) {
    read.add(name);
    return map.get(name);
  }

  private String at(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
