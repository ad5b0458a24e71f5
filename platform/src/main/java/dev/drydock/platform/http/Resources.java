package dev.drydock.platform.http;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The Rest.li resources a room offers, each with the way to make one. A resource object serves one
 * call, so the supplier is asked for a new one each time: {@code Resources.of(HostsResource.class,
 * () -> new HostsResource(inventory))}. Immutable.
 */
public final class Resources {
  private final Map<Class<?>, Supplier<?>> suppliers;

  private Resources(Map<Class<?>, Supplier<?>> suppliers) {
    this.suppliers = Map.copyOf(suppliers);
  }

  /** One resource. */
  public static <R> Resources of(Class<R> resource, Supplier<? extends R> supplier) {
    return new Resources(Map.of(resource, supplier));
  }

  /** Nothing, for a process that does not have the role. */
  public static Resources none() {
    return new Resources(Map.of());
  }

  /** These and one more. */
  public <R> Resources and(Class<R> resource, Supplier<? extends R> supplier) {
    return join(List.of(this, of(resource, supplier)));
  }

  /**
   * The resources of several rooms together.
   *
   * @throws IllegalArgumentException if two rooms offer the same class
   */
  public static Resources join(Collection<Resources> rooms) {
    Map<Class<?>, Supplier<?>> all = new LinkedHashMap<>();
    for (Resources room : rooms) {
      room.suppliers.forEach(
          (resource, supplier) -> {
            if (all.put(resource, supplier) != null) {
              throw new IllegalArgumentException(resource.getName() + " is offered twice");
            }
          });
    }
    return new Resources(all);
  }

  /** The classes, sorted by name. */
  public List<Class<?>> classes() {
    List<Class<?>> classes = new ArrayList<>(suppliers.keySet());
    classes.sort((one, other) -> one.getName().compareTo(other.getName()));
    return classes;
  }

  /** A new object of the class. */
  <R> R create(Class<R> resource) {
    Supplier<?> supplier = suppliers.get(resource);
    if (supplier == null) {
      throw new IllegalArgumentException("no room offers " + resource.getName());
    }
    return resource.cast(supplier.get());
  }
}
