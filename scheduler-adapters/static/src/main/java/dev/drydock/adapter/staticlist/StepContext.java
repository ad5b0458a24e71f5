package dev.drydock.adapter.staticlist;

/** What the steps work with. */
record StepContext(
    HostAccess hosts,
    RotationReconciler rotation,
    Prober prober,
    InstanceObserver observer,
    PollDelay pace) {}
