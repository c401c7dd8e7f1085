"""Attacks on a server, and how much its players notice of them: ``python benchmarks/attacks``."""
