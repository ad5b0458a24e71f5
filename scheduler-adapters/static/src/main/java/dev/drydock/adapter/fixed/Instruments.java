package dev.drydock.adapter.fixed;

/** What the steps work with. */
record Instruments(Hosts hosts, Steady rotation, Prober prober, Observer observer, Pace pace) {}
