package dev.drydock.server.planted.server;

/** Nobody should know it. */
public final class Root {}
