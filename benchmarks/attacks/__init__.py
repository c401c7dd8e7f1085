"""What strangers can do to a server, and what its players notice of it."""
