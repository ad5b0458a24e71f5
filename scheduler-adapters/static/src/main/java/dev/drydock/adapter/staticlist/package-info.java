/**
 * The adapter for hosts whose instances are fixed by an allocation list. Traffic is steered by a
 * load balancer's runtime interface, services are kept by runit, and hosts are reached over SSH.
 */
@NullMarked
package dev.drydock.adapter.staticlist;

import org.jspecify.annotations.NullMarked;
