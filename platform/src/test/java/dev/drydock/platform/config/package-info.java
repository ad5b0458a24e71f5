@NullMarked
package dev.drydock.platform.config;

import org.jspecify.annotations.NullMarked;
