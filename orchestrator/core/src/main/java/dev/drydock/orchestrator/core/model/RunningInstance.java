package dev.drydock.orchestrator.core.model;

/** An instance on a host of the batch. */
public record RunningInstance(String id, String application, String host) {}
