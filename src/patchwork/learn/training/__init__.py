"""Training: batches from the replay buffer, losses, and steps of the optimiser.

It imports the engine, ``config``, ``network``, ``devices`` and ``progress``; nothing about how
games are played. Start with ``trainer``, then ``replay_buffer``.
"""
