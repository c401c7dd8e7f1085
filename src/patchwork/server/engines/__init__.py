"""Engine processes that analyse positions for all tables, and the fair queue before them.

Start reading with ``pool``; ``fair_queue`` is pure. It imports ``programs`` and ``engine``, and
nothing else of the server.
"""
