"""What is made of games to be read, made once, kept while there is room, sent once to each client.

Start with ``copies``. It imports ``game`` and ``wire``.
"""
