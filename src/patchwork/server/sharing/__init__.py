"""What a link shows before it is opened, or without JavaScript: title, description and picture.

Start with ``about``. Imports ``game``.
"""
