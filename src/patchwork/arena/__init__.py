"""Matches between players, in pairs with seats swapped, and what they say about strength."""
