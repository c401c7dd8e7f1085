"""Tools for operating the server: logs, metrics, rate limits, and pacing of the event loop.

Each module stands alone; start with the one you need. Imports nothing else of the server.
"""
