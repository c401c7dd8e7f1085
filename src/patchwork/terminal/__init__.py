"""Play in a terminal. So far the plain line mode."""
