package dev.drydock.server.planted.impact.core;

/** Known by the core that should stand alone. */
public final class OtherCore {}
