"""What the browser tests share: the server, Chromium, users, and page objects."""
