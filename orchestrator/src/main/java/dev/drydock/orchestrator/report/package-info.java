/**
 * What a rollout changed on its hosts: facts are kept from before and after, counted in PostgreSQL,
 * and judged here. All but {@link HostFacts} and {@link ReportStore} is pure.
 */
@NullMarked
package dev.drydock.orchestrator.report;

import org.jspecify.annotations.NullMarked;
