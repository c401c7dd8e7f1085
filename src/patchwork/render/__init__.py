"""Drawings of the game, as plain text and as SVG: free functions over a position.

``ascii``, ``svg`` and ``overlays`` are the modules to call; the others draw the parts. ``cloth``
holds the fabrics, patches and quilts, ``timeboard`` the two sides of the time board.

May import ``rules`` only. Start with ``svg``.
"""
