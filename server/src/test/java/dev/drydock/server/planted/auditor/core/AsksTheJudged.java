package dev.drydock.server.planted.auditor.core;

import dev.drydock.server.planted.impact.core.OtherCore;

/** An auditor that lets whom it judges tell what is right. */
final class AsksTheJudged {
  OtherCore judged = new OtherCore();
}
