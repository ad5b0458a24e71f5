/** What a team is told, in the shapes that receivers of webhooks take, and how it gets there. */
@NullMarked
package dev.drydock.cli.webhook;

import org.jspecify.annotations.NullMarked;
