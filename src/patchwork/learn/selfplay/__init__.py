"""Self-play: many games at once, searched on the processor and evaluated in batches on a device.

It imports the engine, the modules at the top of ``learn`` that know nothing of runs, and
``training`` for the replay buffer. Start with ``loop``, then ``games``.
"""
