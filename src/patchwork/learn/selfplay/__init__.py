"""Self-play: many games at once, searched on the processor and evaluated in batches on a device.

Start with ``loop``, then ``games``. It imports the engine, ``network``, ``replay_buffer`` and
``distributed``.
"""
