"""Training: batches from the replay buffer, losses, and steps of the optimiser.

Start with ``trainer``. It imports ``network``, ``replay_buffer`` and, for the plan of a run,
``selfplay``.
"""
