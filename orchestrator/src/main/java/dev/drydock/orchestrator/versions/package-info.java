/** The order of versions in each package family, and of releases by it. Pure. */
@NullMarked
package dev.drydock.orchestrator.versions;

import org.jspecify.annotations.NullMarked;
