"""What an operator needs (logs, metrics, limits), and turns on the event loop.

Its modules stand alone.
"""
