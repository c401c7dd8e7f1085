"""The engine at work for all tables: a fair queue and worker processes.

Start with ``queue``; ``thinker`` is the program a worker runs. It imports ``wire``.
"""
