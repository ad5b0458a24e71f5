package dev.drydock.proto.client;

import dev.drydock.api.Notification;
import java.util.List;

/**
 * What a subscription is told next; possibly nothing.
 *
 * @param cursor to be acknowledged once all of it is done with
 */
public record NotificationPage(List<Notification> notifications, String cursor) {
  public NotificationPage {
    notifications = List.copyOf(notifications);
  }
}
