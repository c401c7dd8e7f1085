"""Players by program. So far one: ``greedy``, which needs the rules alone."""
