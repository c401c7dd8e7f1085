"""The time board, which can be drawn as a braided rug or as quilt blocks.

May import ``render.icons``, ``render.markup``, ``render.theme`` and ``rules``. Start with ``look``.
"""
