"""Playing in a terminal, with a game drawn as text and typed commands.

Start reading with ``line_game``; ``start`` begins and resumes games. It imports ``rules``,
``notation``, ``render``, ``engine`` and ``locales``.
"""
