package dev.drydock.impact.core;

/**
 * A host as the admission sees it.
 *
 * @param source who reports the host and what runs on it
 * @param vanished missing from the newest full report of its source
 * @param lastEffectMark observations before this mark say nothing about the host: the larger of the
 *     mark left by the end of its last lock and the mark of the last effect Drydock had on it
 */
public record FleetHost(String name, String source, boolean vanished, long lastEffectMark) {}
