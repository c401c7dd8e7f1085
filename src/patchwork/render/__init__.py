"""Drawings of the game, as text and as SVG: free functions over a position."""
