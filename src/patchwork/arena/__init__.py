"""Matches between players, in pairs of games with seats swapped, and what they say about strength.

Start reading with ``match``: it plays a ``schedule`` with ``pool``, keeps the games in a ``log``
and counts them with ``elo`` and ``sprt``; ``ladder`` rates many players. ``child`` plays games in
processes of their own. It imports ``rules``, ``notation``, ``engine``, ``programs`` and
``protocol``.
"""
