"""Everything made of cloth: the fabrics, the patches cut from them, and quilts.

May import ``render.markup``, ``render.theme`` and ``rules``. Start with ``patches``.
"""
